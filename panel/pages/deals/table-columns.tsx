import type { Names } from '../../app/names.ts';
import { may } from '../../app/session.ts';
import { count, money, percent, worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { ArchivedSign } from '../../parts/archived-choice.tsx';
import { Day } from '../../parts/day.tsx';
import { CompanyLink, LinkedName, Person, Text, Time } from '../../parts/table/cells.tsx';
import type { Column } from '../../parts/table/column.ts';
import type { Deal } from './board.ts';
import { isOverdue } from './overdue.ts';

/** The columns of deals without those of their custom fields. */
export const dealColumns = (names: Names): Column<Deal>[] => [
  {
    name: 'title',
    title: t.common.title,
    widthRem: 14.5,
    show: ({ id, title, archive }) => (
      <>
        <LinkedName path={`/deals/${id}`} name={title} />
        <ArchivedSign archive={archive} />
      </>
    ),
  },
  {
    name: 'value',
    title: t.deals.value,
    widthRem: 9.5,
    isUsual: true,
    isNumber: true,
    show: ({ value, currency }) => money(value, currency),
  },
  {
    name: 'columnId',
    title: t.deals.column,
    widthRem: 8,
    isUsual: true,
    show: ({ pipeline }) => <Text text={pipeline?.columnName} />,
  },
  {
    name: 'contactName',
    title: t.common.contact,
    widthRem: 11,
    isUsual: true,
    show: ({ contactId, contactName }) =>
      contactId !== null && (
        <LinkedName
          path={`/contacts/${contactId}`}
          name={contactName ?? `#${contactId}`}
          isLink={may('contacts:read')}
        />
      ),
  },
  {
    name: 'companyId',
    title: t.companies.company,
    widthRem: 11,
    isUsual: true,
    isSortable: false,
    show: ({ company }) => company && <CompanyLink {...company} />,
  },
  {
    name: 'assignedToUserId',
    title: t.deals.owner,
    widthRem: 8,
    isUsual: true,
    show: ({ owner }) => <Person names={names} id={owner?.assignedToUserId} />,
  },
  {
    name: 'expectedCloseAt',
    title: t.deals.expectedToClose,
    widthRem: 8,
    isUsual: true,
    show: (deal) =>
      deal.expectedCloseAt && (
        <span class={isOverdue(deal) ? 'bad' : undefined}>
          <Day at={deal.expectedCloseAt} />
        </span>
      ),
  },
  { name: 'stage', title: t.common.stage, widthRem: 8, show: ({ stage }) => worded(stage) },
  {
    name: 'probability',
    title: t.deals.probability,
    widthRem: 7,
    isNumber: true,
    show: ({ probability }) => percent(probability / 100),
  },
  {
    name: 'openTaskCount',
    title: t.common.tasks,
    widthRem: 6,
    isNumber: true,
    show: ({ openTaskCount }) => count(openTaskCount),
  },
  { name: 'notes', title: t.deals.notes, widthRem: 14, show: ({ notes }) => <Text text={notes} /> },
  { name: 'closedAt', title: t.deals.closed, widthRem: 8, show: ({ closedAt }) => <Time at={closedAt} /> },
  { name: 'createdAt', title: t.common.created, widthRem: 8, show: ({ createdAt }) => <Time at={createdAt} /> },
  { name: 'updatedAt', title: t.table.changed, widthRem: 8, show: ({ updatedAt }) => <Time at={updatedAt} /> },
];
