import { useEffect, useRef, useState } from 'preact/hooks';
import type { Board } from '../../app/boards.ts';
import { type AnyEvent, touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import type { Names } from '../../app/names.ts';
import { isOfOwnChange } from '../../app/own-changes.ts';
import { place } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { t } from '../../app/texts.ts';
import { Failure } from '../../parts/failure.tsx';
import { filled } from '../../parts/filled.tsx';
import { type Deal, loadColumns, moved, type Place, placed, withDeal } from './board.ts';
import { wantedDeals } from './choices.ts';
import { Lose } from './lose.tsx';
import { moveDeal } from './move.ts';
import { NoDeals } from './no-deals.tsx';
import { Stage } from './stage.tsx';
import { Win, Won } from './win.tsx';

/** The place of a board whose columns are on their way. */
export const PendingColumns = () => (
  <section class="board" aria-label={t.deals.board} aria-busy="true">
    {Array.from({ length: 6 }, (_, at) => (
      <div key={at} class="stage" aria-hidden="true">
        <span class="skeleton">&nbsp;</span>
      </div>
    ))}
  </section>
);

const touches = touching('deal', 'task', 'contact', 'pipeline');

/** The deals of a board in its columns: dragged, or moved by keys. */
export function Columns({ board, names, turn }: { board: Board; names: Names; turn: number }) {
  /** When the answer to a move of this page was shown, by deal: the events of the move tell nothing new. */
  const shownAt = useRef(new Map<number, number>());
  const isNews = (event: AnyEvent) => {
    const { deal_id: id } = event.data as { deal_id?: string };
    return touches(event) && !isOfOwnChange(event, shownAt.current.get(Number(id)) ?? 0);
  };
  const columns = useLoaded(
    (signal) => loadColumns(signal, board.id, wantedDeals()),
    [board.id, String(place.value.query), turn],
    isNews,
  );
  const [dragged, setDragged] = useState<Deal>();
  const [asking, setAsking] = useState<{ deal: Deal; to: Place }>();
  const [won, setWon] = useState<Deal>();
  /** The deal that a key has moved: its card has the focus where it is now. */
  const followed = useRef<number | undefined>(undefined);
  useEffect(() => {
    if (followed.current === undefined) return;
    document.querySelector<HTMLElement>(`[data-deal="${followed.current}"] a`)?.focus();
    followed.current = undefined;
  });
  const { data, error, reload } = columns;
  const onMoved = (deal: Deal) => {
    shownAt.current.set(deal.id, performance.now());
    columns.change((before) => withDeal(before, deal));
  };
  const move = (deal: Deal, to: Place, lostReason?: string) => {
    const show = (at: Place) => {
      followed.current = deal.id;
      columns.change((before) => moved(before, deal, at));
    };
    void moveDeal(deal, to, { lostReason, show, onMoved });
  };
  const ask = (deal: Deal, to: Place) => {
    if (to.stage === 'won' || to.stage === 'lost') setAsking({ deal, to });
    else move(deal, to);
  };
  const close = () => setAsking(undefined);
  if (error !== undefined && !data) return <Failure error={error} again={reload} />;
  if (!data) return <PendingColumns />;
  const isEmpty = data.every((column) => column.count === 0);
  return (
    <>
      {isEmpty ? (
        <NoDeals />
      ) : (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
          <section class="board" aria-label={t.deals.board} tabIndex={0} aria-busy={columns.isLoading}>
            {data.map((column) => (
              <Stage
                key={column.id}
                column={column}
                columns={data}
                members={names}
                dragged={dragged}
                onDrag={setDragged}
                onMove={ask}
              />
            ))}
          </section>
          {may('deals:write') && (
            <p class="hint">
              {filled(t.deals.toMoveADealDrag, { kbd: <kbd>Shift</kbd>, kbd2: <kbd>←</kbd>, kbd3: <kbd>→</kbd> })}
            </p>
          )}
        </>
      )}
      {asking?.to.stage === 'lost' && (
        <Lose deal={asking.deal} onLose={(reason) => move(asking.deal, asking.to, reason)} onClose={close} />
      )}
      {asking?.to.stage === 'won' && (
        <Win
          deal={asking.deal}
          onClose={close}
          onWon={(answer) => {
            const deal = { ...placed(asking.deal, asking.to), ...answer };
            onMoved(deal);
            setWon(deal);
          }}
        />
      )}
      {won && !asking && <Won deal={won} onClose={() => setWon(undefined)} />}
    </>
  );
}
