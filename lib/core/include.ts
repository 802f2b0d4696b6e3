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

/** Returns the result of the work with the members that are asked for. */
export async function expanded<Tx>(tx: Tx, expand: Expand<Tx, never>, result: unknown, names: readonly string[]) {
  const wanted = names.filter((name) => Object.hasOwn(expand, name));
  if (wanted.length === 0) return result;
  const { rows, put } = rowsIn(result as Result);
  const members = await Promise.all(wanted.map((name) => expand[name]?.(tx, rows as never[])));
  return put(
    rows.map((row, index) =>
      Object.assign({}, row, Object.fromEntries(wanted.map((name, at) => [name, members[at]?.[index]]))),
    ),
  );
}

/** Returns the answer with the members that are asked for, as the work has them. */
export function withIncluded<Answer>(answer: Answer, result: unknown, names: readonly string[]): Answer {
  if (names.length === 0) return answer;
  const worked = rowsIn(result as Result).rows;
  const { rows, put } = rowsIn(answer as Result);
  return put(
    rows.map((row, index) =>
      Object.assign({}, row, Object.fromEntries(names.map((name) => [name, worked[index]?.[name]]))),
    ),
  ) as Answer;
}

type Row = Record<string, unknown>;
interface Result extends Row {
  items?: readonly Row[];
  results?: readonly Row[];
}

/** Returns the rows of a result: itself, those of its list, or those of a batch; and the result with others in their place. */
function rowsIn(result: Result): { rows: readonly Row[]; put(rows: readonly Row[]): unknown } {
  const { items, results } = result;
  if (items !== undefined) return { rows: items, put: (others) => ({ ...result, items: others }) };
  if (results === undefined) return { rows: [result], put: ([row]) => row };
  const names = results.map((one) => Object.keys(one).find((name) => isResource(name, one[name])));
  const rows = results.flatMap<Row>((one, index) => (one[names[index] ?? ''] as Row | undefined) ?? []);
  const put = (others: readonly Row[]) => {
    const left = others.values();
    const placed = results.map((one, index) => {
      const name = names[index];
      return name === undefined ? one : { ...one, [name]: left.next().value };
    });
    return { ...result, results: placed };
  };
  return { rows, put };
}

/** Whether a member of a batch's result is the resource of its item. */
export const isResource = (name: string, value: unknown): boolean =>
  name !== 'error' && typeof value === 'object' && value !== null;
