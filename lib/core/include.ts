import * as v from 'valibot';
import { queryChoices } from './schema.ts';

/** The members of an answer that `include` adds, by their names. */
export const onRequest = <Entries extends v.ObjectEntries>(entries: Entries) =>
  Object.fromEntries(
    Object.entries(entries).map(([name, schema]) => [
      name,
      // The answer has none of them until `withIncluded` adds it.
      v.exactOptional({ ...schema, '~run': () => ({ typed: true, value: undefined }) } as unknown as v.GenericSchema),
    ]),
  ) as unknown as { [Name in keyof Entries]: v.ExactOptionalSchema<Entries[Name] & v.GenericSchema, undefined> };

/** The query parameter `include` of routes whose answers have these members. */
export const includeQuery = (entries: v.ObjectEntries) => ({
  include: v.optional(queryChoices(Object.keys(entries))),
});

/** Returns the members that a call asks for, in its query or, of a search, in its body. */
export const includedIn = (...asking: readonly unknown[]): readonly string[] =>
  asking.flatMap((one) => (one as { include?: readonly string[] } | undefined)?.include ?? []);

/** How members that a row does not hold as they are shown come to be, for all rows of an answer at once. */
export type Expand<Tx, Row> = Readonly<Record<string, (tx: Tx, rows: readonly Row[]) => Promise<readonly unknown[]>>>;

/** Returns the result of the work, one row or a list of them, with the members that are asked for. */
export async function expanded<Tx>(tx: Tx, expand: Expand<Tx, never>, result: unknown, names: readonly string[]) {
  const wanted = names.filter((name) => Object.hasOwn(expand, name));
  if (wanted.length === 0) return result;
  const { items } = result as Result;
  const rows = (items ?? [result]) as object[];
  const members = await Promise.all(wanted.map((name) => expand[name]?.(tx, rows as never[])));
  const all = rows.map((row, index) =>
    Object.assign({}, row, Object.fromEntries(wanted.map((name, at) => [name, members[at]?.[index]]))),
  );
  return items === undefined ? all[0] : { ...(result as object), items: all };
}

type Result = { items?: readonly object[] };

/** Returns the answer, or each item of a list, with the members that are asked for, as the work has them. */
export function withIncluded<Answer>(answer: Answer, result: unknown, names: readonly string[]): Answer {
  if (names.length === 0) return answer;
  const { items } = answer as Result;
  if (items === undefined)
    return Object.assign({}, answer, Object.fromEntries(names.map((name) => [name, (result as never)[name]])));
  const shown = items.map((item, index) => withIncluded(item, (result as Required<Result>).items[index], names));
  return { ...answer, items: shown };
}
