import type { Schema } from '../../../client/index.ts';
import { filter } from '../../parts/filters.tsx';

/** The filters of the list, as the address has them. */
export const filterNames = ['q', 'stage', 'tag', 'assignee', 'unread', 'score', 'archived'] as const;

/** The search text and the filter as a search takes them. */
export function wantedContacts(): { q: string | undefined; filter: Schema<'Filter'> | undefined } {
  const assignee = filter('assignee');
  const conditions = [
    ['stage', 'eq', filter('stage')],
    ['tags', 'eq', Number(filter('tag')) || undefined],
    ['assignedToUserId', 'eq', Number(assignee) || undefined],
    ['hasUnreadMessages', 'eq', filter('unread') === 'yes' || undefined],
    ['leadScore', 'gte', Number(filter('score')) || undefined],
  ] as const;
  const and = [
    ...conditions.flatMap(([field, op, value]) => (value === undefined ? [] : [{ field, op, value }])),
    ...(assignee === 'none' ? [{ field: 'assignedToUserId', op: 'isNotSet' }] : []),
  ];
  return { q: filter('q'), filter: and.length === 0 ? undefined : { and } };
}
