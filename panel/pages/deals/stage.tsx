import { useRef, useState } from 'preact/hooks';
import type { Names } from '../../app/names.ts';
import { count, money } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Dot } from '../../parts/dot.tsx';
import { filled } from '../../parts/filled.tsx';
import { UserText } from '../../parts/user-text.tsx';
import { type Column, type Columns, type Deal, type Place, placeOf } from './board.ts';
import { Card } from './card.tsx';

interface StageProps {
  column: Column;
  columns: Columns;
  members: Names;
  /** The deal that is being dragged. */
  dragged: Deal | undefined;
  onDrag(deal: Deal | undefined): void;
  onMove(deal: Deal, to: Place): void;
}

/** A column of the board, with its sum in each currency. */
export function Stage({ column, columns, members, dragged, onDrag, onMove }: StageProps) {
  const [isOver, setOver] = useState(false);
  const depth = useRef(0);
  const takes = dragged !== undefined && placeOf(dragged).id !== column.id;
  const leave = () => {
    depth.current = 0;
    setOver(false);
  };
  return (
    <section
      class={takes && isOver ? 'stage over' : 'stage'}
      aria-labelledby={`stage-${column.id}`}
      onDragEnter={() => {
        depth.current += 1;
        setOver(true);
      }}
      onDragLeave={() => {
        depth.current -= 1;
        if (depth.current === 0) setOver(false);
      }}
      onDragOver={(event) => {
        if (takes) event.preventDefault();
      }}
      onDrop={(event) => {
        event.preventDefault();
        leave();
        if (takes) onMove(dragged, column);
        onDrag(undefined);
      }}
    >
      <header>
        <h2 id={`stage-${column.id}`}>
          <Dot color={column.color} />
          <UserText text={column.name} isName />
          <span class="muted">{count(column.count)}</span>
        </h2>
        <p class="hint">
          {column.totals
            .filter(({ total }) => total > 0)
            .map(({ total, currency }) => money(total, currency))
            .join(' · ') || '–'}
        </p>
      </header>
      {column.deals.length > 0 && (
        <ul>
          {column.deals.map((deal) => (
            <Card
              key={deal.id}
              deal={deal}
              columns={columns}
              members={members}
              onMove={(to) => onMove(deal, to)}
              onDrag={(isDragged) => onDrag(isDragged ? deal : undefined)}
            />
          ))}
        </ul>
      )}
      {column.hasMore && (
        <p class="hint">{filled(t.deals.theNewestAreShownSearch, { length: count(column.deals.length) })}</p>
      )}
    </section>
  );
}
