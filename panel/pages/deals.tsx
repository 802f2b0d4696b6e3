import { useState } from 'preact/hooks';
import { readBoards } from '../app/boards.ts';
import { touching } from '../app/live.ts';
import { useLoaded } from '../app/load.ts';
import { useMembers } from '../app/names.ts';
import { withQuery } from '../app/route.ts';
import { may } from '../app/session.ts';
import { count } from '../app/show.ts';
import { t } from '../app/texts.ts';
import { ArchivedChoice } from '../parts/archived-choice.tsx';
import { EditDeal } from '../parts/edit-deal.tsx';
import { Failure } from '../parts/failure.tsx';
import { Choice, Filters, filter, SearchField } from '../parts/filters.tsx';
import { Head } from '../parts/head.tsx';
import { OnlyOfContact } from '../parts/only-of-contact.tsx';
import type { PageProps } from '../parts/page.ts';
import { closings } from './deals/closing.ts';
import { Columns, PendingColumns } from './deals/columns.tsx';
import { DealDetail } from './deals/detail.tsx';
import { DealTable } from './deals/table.tsx';

export default function Deals({ variables: { id } }: PageProps) {
  return id === undefined ? <DealList /> : <DealDetail key={id} id={Number(id)} />;
}

/** The deals of a board, in its columns or as a table. */
function DealList() {
  const { data: boards, error, reload } = useLoaded((signal) => readBoards(signal), [], touching('pipeline'));
  const names = useMembers();
  const [isNew, setNew] = useState(false);
  const [turn, setTurn] = useState(0);
  // Boards show no archived deals.
  const isTable = filter('layout') === 'table' || filter('archived') !== undefined;
  const chosen = Number(filter('board'));
  const board = boards?.find(({ id }) => id === chosen) ?? boards?.[0];
  const Shown = isTable ? DealTable : Columns;
  return (
    <>
      <Head title={t.common.deals}>
        {may('deals:write') && (
          <button type="button" class="primary" data-new onClick={() => setNew(true)}>
            {t.common.newDeal}
          </button>
        )}
      </Head>
      <nav class="tabs" aria-label={t.common.deals}>
        <a
          href={withQuery({
            ...{ layout: undefined, archived: undefined },
            ...{ view: undefined, filter: undefined, sort: undefined, columns: undefined },
          })}
          aria-current={isTable ? undefined : 'page'}
        >
          {t.deals.board}
        </a>
        <a
          href={withQuery({ layout: 'table', owner: undefined, value: undefined, closing: undefined, open: undefined })}
          aria-current={isTable ? 'page' : undefined}
        >
          {t.deals.table}
        </a>
      </nav>
      <Filters>
        <SearchField label={t.common.search} />
        {boards && boards.length > 1 && (
          <Choice
            label={t.deals.pipeline}
            name="board"
            all={boards[0]?.name ?? ''}
            options={boards.slice(1).map(({ id, name }) => [id, name] as const)}
          />
        )}
        {!isTable && (
          <>
            <Choice
              label={t.deals.owner}
              name="owner"
              all={t.common.anybody}
              options={[['none', t.common.nobody], ...names]}
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
          </>
        )}
        <ArchivedChoice />
      </Filters>
      <OnlyOfContact />
      {error !== undefined && !boards ? (
        <Failure error={error} again={reload} />
      ) : board ? (
        <Shown key={board.id} board={board} names={names} turn={turn} />
      ) : (
        <PendingColumns />
      )}
      {isNew && (
        <EditDeal boardId={board?.id} onDone={() => setTurn((before) => before + 1)} onClose={() => setNew(false)} />
      )}
    </>
  );
}
