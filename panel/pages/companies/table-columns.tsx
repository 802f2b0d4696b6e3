import type { Company } from '../../app/companies.ts';
import type { Names } from '../../app/names.ts';
import { count } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { ArchivedSign } from '../../parts/archived-choice.tsx';
import { LinkedName, Person, Text, Time } from '../../parts/table/cells.tsx';
import type { Column } from '../../parts/table/column.ts';

/** The columns of companies without those of their custom fields. */
export const companyColumns = (names: Names): Column<Company>[] => [
  {
    name: 'name',
    title: t.common.name,
    widthRem: 16,
    show: ({ id, name, archive }) => (
      <>
        <LinkedName path={`/companies/${id}`} name={name} />
        <ArchivedSign archive={archive} />
      </>
    ),
  },
  {
    name: 'domains',
    title: t.companies.domains,
    widthRem: 13,
    isUsual: true,
    isSortable: false,
    show: ({ domains }) => <Text text={domains.join(', ')} />,
  },
  {
    name: 'contactCount',
    title: t.common.contacts,
    widthRem: 7,
    isUsual: true,
    isNumber: true,
    show: ({ contactCount }) => count(contactCount),
  },
  {
    name: 'openDealCount',
    title: t.companies.openDeals,
    widthRem: 7,
    isUsual: true,
    isNumber: true,
    show: ({ openDealCount }) => count(openDealCount),
  },
  {
    name: 'assignedToUserId',
    title: t.contacts.assignedTo,
    widthRem: 10,
    isUsual: true,
    show: ({ assignedToUserId }) => <Person names={names} id={assignedToUserId} />,
  },
  {
    name: 'createdAt',
    title: t.common.created,
    widthRem: 9,
    isUsual: true,
    show: ({ createdAt }) => <Time at={createdAt} />,
  },
  { name: 'website', title: t.companies.website, widthRem: 12, show: ({ website }) => <Text text={website} /> },
  { name: 'phone', title: t.common.phone, widthRem: 9, show: ({ phone }) => phone },
  { name: 'address', title: t.companies.address, widthRem: 14, show: ({ address }) => <Text text={address} /> },
  { name: 'notes', title: t.deals.notes, widthRem: 14, show: ({ notes }) => <Text text={notes} /> },
  { name: 'updatedAt', title: t.table.changed, widthRem: 8, show: ({ updatedAt }) => <Time at={updatedAt} /> },
];
