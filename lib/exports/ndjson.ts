import type { Column, Shown } from '#lib/sheets/columns.ts';

/** Values of custom fields and of metadata are members of one object, as answers show them. */
const groups = ['fields', 'metadata'];

/** Returns the values of some columns of a record by their names. */
function pick(columns: readonly Column[], record: Shown): Shown {
  const picked: Record<string, unknown> = {};
  for (const { name, of } of columns) {
    const [group = ''] = name.split('.', 1);
    if (group === name || !groups.includes(group)) picked[name] = of(record);
    else picked[group] = { ...(picked[group] as Shown), [name.slice(group.length + 1)]: of(record) };
  }
  return picked;
}

/** Returns the bytes of a file with a line of JSON for each record: as answers show it, or the values of some columns. */
export async function* ndjsonOf(columns: readonly Column[] | undefined, pages: AsyncIterable<readonly Shown[]>) {
  for await (const records of pages) {
    const shown = columns === undefined ? records : records.map((record) => pick(columns, record));
    if (shown.length > 0) yield Buffer.from(`${shown.map((one) => JSON.stringify(one)).join('\n')}\n`);
  }
}
