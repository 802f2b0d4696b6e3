import type { BoardColumn } from '../../app/boards.ts';
import { mayChange } from '../../app/session.ts';
import { t } from '../../app/texts.ts';
import { UserText } from '../../parts/user-text.tsx';
import { type Deal, type Place, placeOf } from './board.ts';

interface ColumnBarProps {
  deal: Pick<Deal, 'stage' | 'pipeline' | 'archive'>;
  columns: readonly BoardColumn[];
  onMove(to: Place): void;
}

/** How far a deal has come on its board; a click moves it. */
export function ColumnBar({ deal, columns, onMove }: ColumnBarProps) {
  const here = placeOf(deal);
  const end = here.stage === 'lost' ? 'lost' : 'won';
  const all = columns.filter(({ stage, isTerminal }) => !isTerminal || stage === end);
  const at = all.findIndex(({ id }) => id === here.id);
  return (
    <ol class="stage-bar" aria-label={t.common.stage}>
      {all.map((column, step) => (
        <li key={column.id} class={step < at ? 'past' : step === at ? `here ${column.stage}` : undefined}>
          <button
            type="button"
            class="quiet"
            disabled={!mayChange('deals:write', deal) || step === at}
            aria-current={step === at ? 'step' : undefined}
            onClick={() => onMove(column)}
          >
            <UserText text={column.name} isName />
          </button>
        </li>
      ))}
    </ol>
  );
}
