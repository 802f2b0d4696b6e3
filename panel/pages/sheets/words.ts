import type { Schema } from '../../../client/index.ts';

type Filter = Schema<'Filter'>;

/** The fields in which the words of a search are looked for; phones hold digits only. */
const searched = {
  contacts: ['name', 'username', 'email', 'company', 'phone'],
  companies: ['name', 'domains', 'phone'],
  deals: ['title'],
  tasks: ['title'],
} as const;

/** Returns a filter that also asks for the words of a quick search, which exports do not take. */
export function withWords(
  object: keyof typeof searched,
  q: string | undefined,
  filter: Filter | undefined,
): Filter | undefined {
  const words = (q ?? '').split(/\s+/).filter(Boolean);
  const conditions = words.map((value) => ({
    or: searched[object]
      .filter((field) => field !== 'phone' || /\d/.test(value))
      .map((field) => ({ field, op: 'contains', value })),
  }));
  if (conditions.length === 0) return filter;
  return { and: [...(filter ? [filter] : []), ...conditions] } as Filter;
}
