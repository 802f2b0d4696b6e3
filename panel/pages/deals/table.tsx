import type { Schema } from '../../../client/index.ts';
import type { Board } from '../../app/boards.ts';
import { touching } from '../../app/live.ts';
import type { Names } from '../../app/names.ts';
import { may } from '../../app/session.ts';
import { counted } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { whichArchived } from '../../parts/archived-choice.tsx';
import { useFields } from '../../parts/custom-fields.tsx';
import { FilterBar } from '../../parts/filter/filter-bar.tsx';
import { useQuestion } from '../../parts/filter/question.ts';
import { filter } from '../../parts/filters.tsx';
import { contactFilter } from '../../parts/only-of-contact.tsx';
import { includeFor } from '../../parts/table/custom-columns.tsx';
import { ExportButton } from '../../parts/table/export-button.tsx';
import { sourceOf } from '../../parts/table/question.ts';
import { useRows } from '../../parts/table/rows.ts';
import { Table } from '../../parts/table/table.tsx';
import { useColumns } from '../../parts/table/use-columns.ts';
import type { Deal } from './board.ts';
import { DealsBulk } from './bulk.tsx';
import { NoDeals } from './no-deals.tsx';
import { dealColumns } from './table-columns.tsx';

/** Returns the filter of a search for deals of a board, with another filter first. */
function filterOf(given: Schema<'Filter'> | undefined, boardId: number): Schema<'Filter'> {
  const contactId = contactFilter();
  return {
    and: [
      ...(given ? [given] : []),
      { field: 'pipelineId', op: 'eq', value: boardId },
      ...(contactId === undefined ? [] : [{ field: 'contactId', op: 'eq', value: contactId }]),
    ],
  };
}

const isTouchedBy = touching('deal', 'pipeline');

/** The deals of a board as a table, in any order. */
export function DealTable({ board, names, turn }: { board: Board; names: Names; turn: number }) {
  const asking = useQuestion('deal');
  const { value, isReady, onSort, onColumns } = asking;
  const definitions = useFields('deal');
  const include = includeFor(value.columns, 'owner', 'pipeline', 'company', 'archive');
  const { archived } = whichArchived();
  const asked = {
    sort: value.sort,
    isReady,
    q: filter('q'),
    filter: filterOf(value.filter, board.id),
    archived,
    include,
  };
  const source = sourceOf<Deal>('deals', asked);
  const rows = useRows(source, [JSON.stringify(asked), turn], isTouchedBy);
  const { all, columns } = useColumns(definitions, dealColumns, names, value.columns, rows.items);
  return (
    <>
      <FilterBar object="deal" {...asking} fields={definitions} members={names} error={rows.error} at="filter.and[0]" />
      <Table
        caption={t.common.deals}
        units={t.units.deal}
        rows={rows}
        all={all}
        columns={columns}
        onColumns={onColumns}
        sort={value.sort}
        onSort={onSort}
        nameOf={({ title }) => title}
        pathOf={({ id }) => `/deals/${id}`}
        actions={
          may('deals:write') && archived === undefined
            ? (selection) => <DealsBulk selection={selection} source={source} board={board} onDone={rows.reload} />
            : undefined
        }
        tools={
          <ExportButton
            object="deals"
            q={filter('q')}
            filter={asked.filter}
            archived={archived}
            columns={columns.map(({ name }) => name)}
            counted={rows.total === undefined ? undefined : counted(rows.total, t.units.deal)}
          />
        }
        empty={<NoDeals />}
      />
    </>
  );
}
