import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { whichArchived } from '../../parts/archived-choice.tsx';
import { filter } from '../../parts/filters.tsx';

type Contact = Schema<'Contact'>;

/** The filters of the list, as the address has them. */
export const filterNames = ['q', 'stage', 'tag', 'assignee', 'unread', 'score', 'archived'] as const;

/** The filters as the API takes them. */
export const wanted = () => ({
  q: filter('q'),
  stage: filter('stage') as Schema<'ContactStage'> | undefined,
  tagId: Number(filter('tag')) || undefined,
  assignedToUserId: filter('assignee'),
  hasUnread: filter('unread') === 'yes' || undefined,
  ...whichArchived(),
  minScore: Number(filter('score')) || undefined,
});

/** Reads every contact that fits the filters, at most as many as given. */
export async function readAll(most: number): Promise<readonly Contact[]> {
  const found: Contact[] = [];
  const query = { ...wanted(), limit: 100 };
  let after: number | undefined;
  do {
    const page = await api.get('/v1/contacts', { params: { query: { ...query, after } } });
    found.push(...page.items);
    after = page.hasMore ? (page.nextCursor ?? undefined) : undefined;
  } while (after !== undefined && found.length < most);
  return found.slice(0, most);
}
