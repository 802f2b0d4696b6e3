import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import type { Board } from '../../app/boards.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { memberName, type Names } from '../../app/names.ts';
import { linkTo, place } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { money } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { ArchivedSign, whichArchived } from '../../parts/archived-choice.tsx';
import { Day } from '../../parts/day.tsx';
import { filter } from '../../parts/filters.tsx';
import { type Column, Paged } from '../../parts/paged.tsx';
import { UserText } from '../../parts/user-text.tsx';
import type { Deal, Wanted } from './board.ts';
import { wantedDeals } from './choices.ts';
import { NoDeals } from './no-deals.tsx';
import { isOverdue } from './overdue.ts';

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

function readPage(signal: AbortSignal, boardId: number) {
  const wanted = wantedDeals();
  const sort = filter('sort');
  const { archived } = whichArchived();
  const direction = sort?.startsWith('-') ? ('desc' as const) : ('asc' as const);
  return api.post('/v1/deals/search', {
    signal,
    body: {
      ...(wanted.q !== undefined && { q: wanted.q }),
      filter: filterOf(boardId, wanted),
      ...(sort !== undefined && { sort: [{ field: sort.replace('-', ''), direction }] }),
      ...(filter('after') !== undefined && { cursor: filter('after') as string }),
      ...(archived !== undefined && { archived: archived === 'true' || archived }),
      limit: 100,
      include: 'owner,pipeline,company,archive',
    },
  });
}

/** The deals of a board as a table, in any order. */
export function DealTable({ board, names, turn }: { board: Board; names: Names; turn: number }) {
  const deals = useLoaded(
    (signal) => readPage(signal, board.id),
    [board.id, String(place.value.query), turn],
    touching('deal', 'pipeline'),
  );
  return (
    <Paged
      caption={t.common.deals}
      of={deals}
      columns={columnsWith(names)}
      keyOf={({ id }) => id}
      empty={<NoDeals />}
    />
  );
}

const columnsWith = (names: Names): Column<Deal>[] => [
  {
    title: t.common.title,
    sortBy: 'title',
    show: ({ id, title, archive }) => (
      <>
        <a href={linkTo(`/deals/${id}`)}>
          <UserText text={title} />
        </a>
        <ArchivedSign archive={archive} />
      </>
    ),
  },
  {
    title: t.common.contact,
    sortBy: 'contactName',
    isWide: true,
    show: ({ contactId, contactName }) =>
      contactId !== null && may('contacts:read') ? (
        <a href={linkTo(`/contacts/${contactId}`)}>
          <UserText text={contactName ?? `#${contactId}`} isName />
        </a>
      ) : (
        contactName
      ),
  },
  {
    title: t.companies.company,
    isWide: true,
    show: ({ company }) =>
      company &&
      (may('companies:read') ? (
        <a href={linkTo(`/companies/${company.id}`)}>
          <UserText text={company.name} isName />
        </a>
      ) : (
        company.name
      )),
  },
  { title: t.deals.value, sortBy: 'value', isNumber: true, show: ({ value, currency }) => money(value, currency) },
  {
    title: t.deals.column,
    sortBy: 'columnId',
    show: ({ pipeline }) => pipeline && <UserText text={pipeline.columnName} isName />,
  },
  {
    title: t.deals.owner,
    isWide: true,
    show: ({ owner }) => owner?.assignedToUserId != null && memberName(names, owner.assignedToUserId),
  },
  {
    title: t.deals.expectedToClose,
    sortBy: 'expectedCloseAt',
    isWide: true,
    show: (deal) =>
      deal.expectedCloseAt && (
        <span class={isOverdue(deal) ? 'bad' : undefined}>
          <Day at={deal.expectedCloseAt} />
        </span>
      ),
  },
];
