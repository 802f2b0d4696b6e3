import type { Schema } from '../../../client/index.ts';
import type { Board } from '../../app/boards.ts';
import { touching } from '../../app/live.ts';
import type { Names } from '../../app/names.ts';
import { place } from '../../app/route.ts';
import { t } from '../../app/texts.ts';
import { whichArchived } from '../../parts/archived-choice.tsx';
import { includeFor } from '../../parts/table/custom-columns.tsx';
import { sourceOf } from '../../parts/table/question.ts';
import { useRows } from '../../parts/table/rows.ts';
import { Table } from '../../parts/table/table.tsx';
import { useColumns } from '../../parts/table/use-columns.ts';
import { useQuestion } from '../../parts/table/use-question.ts';
import type { Deal, Wanted } from './board.ts';
import { wantedDeals } from './choices.ts';
import { NoDeals } from './no-deals.tsx';
import { dealColumns } from './table-columns.tsx';

/** Returns the filter of a search for deals of a board. */
function filterOf(boardId: number, wanted: Wanted): Schema<'Filter'> {
  const { contactId, assignedToUserId: owner, minValue, expectedCloseBefore, isOpenOnly } = wanted;
  const conditions = [
    ['pipelineId', 'eq', boardId],
    ['contactId', 'eq', contactId],
    ['assignedToUserId', 'eq', owner === 'none' || owner === undefined ? undefined : Number(owner)],
    ['value', 'gte', minValue],
    ['expectedCloseAt', 'lt', expectedCloseBefore],
    ['stage', 'notIn', isOpenOnly ? ['won', 'lost'] : undefined],
  ] as const;
  return {
    and: [
      ...conditions.flatMap(([field, op, value]) => (value === undefined ? [] : [{ field, op, value }])),
      ...(owner === 'none' ? [{ field: 'assignedToUserId', op: 'isNotSet' }] : []),
    ],
  };
}

const isTouchedBy = touching('deal', 'pipeline');

/** The deals of a board as a table, in any order. */
export function DealTable({ board, names, turn }: { board: Board; names: Names; turn: number }) {
  const { value, onSort, onColumns } = useQuestion('deal');
  const include = includeFor(value.columns, 'owner', 'pipeline', 'company', 'archive');
  const wanted = wantedDeals();
  const { archived } = whichArchived();
  const filter = filterOf(board.id, wanted);
  const source = sourceOf<Deal>('deals', { ...value, q: wanted.q, filter, archived, include });
  const rows = useRows(source, [board.id, String(place.value.query), include, turn], isTouchedBy);
  const { all, columns } = useColumns('deal', dealColumns, names, value.columns, rows.items);
  return (
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
      empty={<NoDeals />}
    />
  );
}
