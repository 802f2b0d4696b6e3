import type { Schema } from '../../../client/index.ts';
import { channelNames } from '../../app/channels.ts';
import type { Names } from '../../app/names.ts';
import { count, nameOf, worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { ArchivedSign } from '../../parts/archived-choice.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Dot } from '../../parts/dot.tsx';
import { CompanyLink, LinkedName, Person, Text, Time } from '../../parts/table/cells.tsx';
import type { Column } from '../../parts/table/column.ts';
import { UserText } from '../../parts/user-text.tsx';
import { stageTones } from './stages.ts';

type Contact = Schema<'Contact'>;

/** The columns of contacts without those of their custom fields. */
export const contactColumns = (names: Names): Column<Contact>[] => [
  {
    name: 'name',
    title: t.common.name,
    widthRem: 13,
    show: (contact) => (
      <>
        <LinkedName path={`/contacts/${contact.id}`} name={nameOf(contact)} />{' '}
        {contact.hasUnreadMessages && <Badge tone="accent">{t.common.unread}</Badge>}
        <ArchivedSign archive={contact.archive} />
      </>
    ),
  },
  {
    name: 'stage',
    title: t.common.stage,
    widthRem: 7,
    isUsual: true,
    show: ({ stage }) => <Badge tone={stageTones[stage]}>{worded(stage)}</Badge>,
  },
  {
    name: 'company',
    title: t.contacts.company,
    widthRem: 10,
    isUsual: true,
    show: ({ company, companies = [] }) => {
      const [main] = [...companies].sort((one, other) => Number(other.isPrimary) - Number(one.isPrimary));
      return main ? <CompanyLink id={main.companyId} name={main.name} /> : <Text text={company} />;
    },
  },
  {
    name: 'tags',
    title: t.contacts.tags,
    widthRem: 11,
    isSortable: false,
    show: ({ tags = [] }) =>
      tags.map(({ id, name, color }) => (
        <Badge key={id}>
          <Dot color={color} /> <UserText text={name} />
        </Badge>
      )),
  },
  { name: 'email', title: t.common.eMail, widthRem: 10.5, isUsual: true, show: ({ email }) => <Text text={email} /> },
  { name: 'phone', title: t.common.phone, widthRem: 8.5, isUsual: true, show: ({ phone }) => phone },
  {
    name: 'leadScore',
    title: t.contacts.leadScore,
    widthRem: 6,
    isUsual: true,
    isNumber: true,
    show: ({ leadScore }) => leadScore !== null && count(leadScore),
  },
  {
    name: 'assignedToUserId',
    title: t.contacts.assignedTo,
    widthRem: 8,
    isUsual: true,
    show: ({ assignedToUserId }) => <Person names={names} id={assignedToUserId} />,
  },
  {
    name: 'lastMessageAt',
    title: t.contacts.lastMessage,
    widthRem: 7.5,
    isUsual: true,
    show: ({ lastMessageAt }) => <Time at={lastMessageAt} />,
  },
  {
    name: 'username',
    title: t.contacts.userName,
    widthRem: 9,
    show: ({ username }) => username && <Text text={`@${username}`} />,
  },
  { name: 'platform', title: t.contacts.platform, widthRem: 7, show: ({ platform }) => channelNames[platform] },
  { name: 'notes', title: t.deals.notes, widthRem: 14, show: ({ notes }) => <Text text={notes} /> },
  { name: 'createdAt', title: t.common.created, widthRem: 8, show: ({ createdAt }) => <Time at={createdAt} /> },
  {
    name: 'updatedAt',
    title: t.table.changed,
    widthRem: 8,
    show: ({ updatedAt }) => <Time at={updatedAt} />,
  },
];
