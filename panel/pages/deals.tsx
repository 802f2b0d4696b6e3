import { useEffect, useRef, useState } from 'preact/hooks';
import { touching } from '../app/live.ts';
import { useLoaded } from '../app/load.ts';
import { useMembers } from '../app/names.ts';
import { linkTo, place } from '../app/route.ts';
import { may } from '../app/session.ts';
import { count } from '../app/show.ts';
import { t } from '../app/texts.ts';
import { EditDeal } from '../parts/edit-deal.tsx';
import { Empty } from '../parts/empty.tsx';
import { Failure } from '../parts/failure.tsx';
import { filled } from '../parts/filled.tsx';
import { Choice, Filters, SearchField } from '../parts/filters.tsx';
import { Head } from '../parts/head.tsx';
import { OnlyOfContact } from '../parts/only-of-contact.tsx';
import type { PageProps } from '../parts/page.ts';
import { type Deal, loadBoard, moved, type StageKey } from './deals/board.ts';
import { wantedDeals } from './deals/choices.ts';
import { closings } from './deals/closing.ts';
import { DealDetail } from './deals/detail.tsx';
import { moveDeal } from './deals/move.ts';
import { Stage } from './deals/stage.tsx';
import { Win, Won } from './deals/win.tsx';

export default function Deals({ variables: { id } }: PageProps) {
  return id === undefined ? <DealBoard /> : <DealDetail key={id} id={Number(id)} />;
}

const stages = 6;

function DealBoard() {
  const board = useLoaded(
    (signal) => loadBoard(signal, wantedDeals()),
    [String(place.value.query)],
    touching('deal', 'task', 'contact'),
  );
  const members = useMembers();
  const [isNew, setNew] = useState(false);
  const [dragged, setDragged] = useState<Deal>();
  const [winning, setWinning] = useState<Deal>();
  const [won, setWon] = useState<Deal>();
  /** The deal that a key has moved: its card has the focus where it is now. */
  const followed = useRef<number | undefined>(undefined);
  useEffect(() => {
    if (followed.current === undefined) return;
    document.querySelector<HTMLElement>(`[data-deal="${followed.current}"] a`)?.focus();
    followed.current = undefined;
  });
  const move = (deal: Deal, to: StageKey) => {
    if (to === 'won') {
      setWinning(deal);
      return;
    }
    const show = (stage: StageKey) => {
      followed.current = deal.id;
      board.change((before) => moved(before, deal, stage));
    };
    void moveDeal(deal, to, { show, reload: board.reload });
  };
  const { data, error, reload } = board;
  const isEmpty = data?.every((column) => column.count === 0);
  const isFiltered = place.value.query.size > 0;
  const newDeal = may('deals:write') && (
    <button type="button" class="primary" data-new onClick={() => setNew(true)}>
      {t.common.newDeal}
    </button>
  );
  return (
    <>
      <Head title={t.common.deals}>{newDeal}</Head>
      <Filters>
        <SearchField label={t.common.search} />
        <Choice
          label={t.deals.owner}
          name="owner"
          all={t.common.anybody}
          options={[['none', t.common.nobody], ...members]}
        />
        <Choice
          label={t.deals.value}
          name="value"
          options={[100, 1000, 10_000, 100_000].map((value) => [value, t.deals.atLeast(count(value))] as const)}
        />
        <Choice
          label={t.deals.expectedToClose}
          name="closing"
          options={closings.map((closing) => [closing, t.deals.closings[closing]] as const)}
        />
        <Choice label={t.deals.columns} name="open" options={[['yes', t.deals.openOnly]]} />
      </Filters>
      <OnlyOfContact />
      {error !== undefined && !data ? (
        <Failure error={error} again={reload} />
      ) : isEmpty ? (
        <Empty title={isFiltered ? t.deals.noDealFits : t.deals.noDealsYet}>
          {isFiltered ? <a href={linkTo('/deals')}>{t.deals.showAllDeals}</a> : <p>{t.deals.aDealIsSomethingThat}</p>}
        </Empty>
      ) : (
        <>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
          <section class="board" aria-label={t.deals.board} tabIndex={0} aria-busy={board.isLoading}>
            {data
              ? data.map((column) => (
                  <Stage
                    key={column.key}
                    column={column}
                    board={data}
                    members={members}
                    dragged={dragged}
                    onDrag={setDragged}
                    onMove={move}
                  />
                ))
              : Array.from({ length: stages }, (_, at) => (
                  <div key={at} class="stage" aria-hidden="true">
                    <span class="skeleton">&nbsp;</span>
                  </div>
                ))}
          </section>
          {may('deals:write') && (
            <p class="hint">
              {filled(t.deals.toMoveADealDrag, { kbd: <kbd>Shift</kbd>, kbd2: <kbd>←</kbd>, kbd3: <kbd>→</kbd> })}
            </p>
          )}
        </>
      )}
      {isNew && <EditDeal onDone={reload} onClose={() => setNew(false)} />}
      {winning && (
        <Win
          deal={winning}
          onClose={() => setWinning(undefined)}
          onWon={() => {
            board.change((before) => moved(before, winning, 'won'));
            setWon({ ...winning, stage: 'Won' });
            reload();
          }}
        />
      )}
      {won && !winning && <Won deal={won} onClose={() => setWon(undefined)} />}
    </>
  );
}
