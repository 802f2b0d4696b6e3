import type { CopiedNoun } from '#lib/core/choices.ts';
import { holdsWords } from '#lib/core/text.ts';
import { type Entity, entityPartition, type Item, isListed, type Spellings } from '#lib/table/entity.ts';
import type { EntryRow } from '#lib/table/entries.ts';
import { sortableId } from '#lib/table/keys.ts';
import { type Listing, listPage, type Page } from '#lib/table/list.ts';
import { isSpent, type Range, stop } from '#lib/table/pages.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { CopiedRow } from './copied-row.ts';
import { archivedColumn, columnsOf, textColumn } from './copy-columns.ts';
import { readGroups } from './copy-file.ts';
import { askRenewal, findCopy, minRows, type UsableCopy } from './copy-store.ts';
import { type CopiedRecords, copiedRecords } from './nouns.ts';
import { withoutBrokenCopy } from './records.ts';

/** Condition of rows besides the indexes of a list, and the columns that answer it. */
type Condition<E extends Entity> = Required<Pick<Listing<E>, 'matches'>> & { columns: readonly string[] };

/** Keys that are looked for before one is asked for. */
const perPage = 400;

/** Returns one page of a list, whose items its copy finds, or a walk through the rows where there is none. */
export const listByCopy = <E extends Entity>(
  tx: UnitOfWork,
  of: E,
  listing: Listing<E>,
  condition: Condition<E>,
): Promise<Page<Item<E>>> =>
  withoutBrokenCopy(async (isBroken) => {
    const name = of.name as CopiedNoun;
    const noun = copiedRecords(name);
    const copy = isBroken ? undefined : await findCopy(tx.tenant, name);
    if (copy === undefined) return listByRows(tx, of, listing, condition);
    const pk = entityPartition(tx.tenant, of);
    const { archived, words = [] } = listing;
    const isCandidate = (row: Item<E>) => isListed(of, row, archived) && condition.matches(row);
    const candidates = { words, columns: condition.columns, isCandidate: isCandidate as never };
    const among = async function* (range: Range) {
      for await (const page of keysIn(noun, copy, candidates, range))
        yield page.map((sk): EntryRow => ({ pk, sk, of: { pk, sk } }));
    };
    return listPage(tx, of, { ...listing, among });
  });

/** Reads the rows, and has a copy made of many. */
async function listByRows<E extends Entity>(
  tx: UnitOfWork,
  of: E,
  listing: Listing<E>,
  { matches }: Condition<E>,
): Promise<Page<Item<E>>> {
  let rows = 0;
  const page = await listPage(tx, of, {
    ...listing,
    matches(row) {
      rows += 1;
      return matches(row);
    },
  });
  if (rows >= minRows) await askRenewal(tx.tenant, of.name as CopiedNoun);
  return page;
}

interface Candidates {
  words: readonly Spellings[];
  columns: readonly string[];
  isCandidate: (row: never) => boolean;
}

/** The sort keys of rows that may be wanted, descending: of all that have changed since the copy, and of those that the copy finds. */
async function* keysIn(
  noun: CopiedRecords,
  { file, changed }: UsableCopy,
  { words, columns, isCandidate }: Candidates,
  { below, meter }: Range,
): AsyncGenerator<string[]> {
  const isBelow = (sk: string) => below === undefined || sk < below;
  const waiting = [...changed].filter(isBelow).sort();
  const byName = new Map(columnsOf(noun, file.fields).map((column) => [column.name, column]));
  const texts = words.length > 0 ? [textColumn] : [];
  const names = new Set(['id', archivedColumn, ...texts, ...columns]);
  for await (const group of readGroups(file, [...names], { fromLast: true })) {
    const row = new CopiedRow(group, byName);
    const view = row.view(columns);
    let found: string[] = [];
    let last = '';
    for (row.index = group.rows - 1; row.index >= 0; row.index -= 1) {
      last = sortableId(row.id);
      for (; (waiting.at(-1) ?? '') >= last; waiting.pop()) found.push(waiting.at(-1) as string);
      const isOther = isBelow(last) && !changed.has(last) && holdsWords(row.searchText, words);
      if (isOther && isCandidate(view as never)) found.push(last);
      if (found.length < perPage) continue;
      yield found;
      found = [];
    }
    yield found;
    if (meter && isSpent(meter)) return stop(meter, last);
  }
  yield waiting.reverse();
}
