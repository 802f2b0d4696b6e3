import { now, secondMs } from '#lib/core/clock.ts';
import { phoneSpellings } from '#lib/core/phone.ts';
import { type FieldError, invalidFields, unavailable } from '#lib/core/problem.ts';
import { holdsWords, wordsOf } from '#lib/core/text.ts';
import { zoneOf } from '#lib/core/zone.ts';
import type { StoredCompany } from '#lib/entities/company.ts';
import type { StoredContact } from '#lib/entities/contact.ts';
import type { StoredDeal } from '#lib/entities/deal.ts';
import type { FieldObject } from '#lib/entities/field.ts';
import type { StoredTask } from '#lib/entities/task.ts';
import { entityPartition } from '#lib/table/entity.ts';
import { pages } from '#lib/table/pages.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { fieldsOf } from '#lib/workspaces/fields.ts';
import { getWorkspace } from '#lib/workspaces/store.ts';
import type { SearchBody } from './body.ts';
import { cursorOf, type Place, placeOf } from './cursor.ts';
import { searchFieldOf } from './custom.ts';
import { FilterReader } from './filter.ts';
import { text } from './kinds.ts';
import { type Noun, nouns, type SearchField, searchedText } from './nouns.ts';
import { type Order, orderOf, type Position } from './order.ts';

interface Rows {
  contact: StoredContact;
  company: StoredCompany;
  deal: StoredDeal;
  task: StoredTask;
}

/** One page of a search. */
export interface Found<Row> {
  items: Row[];
  nextCursor: string | null;
  hasMore: boolean;
  total?: number;
}

/** A search that ends no sooner is refused (revision 1.4, section 33). */
const longestMs = 20 * secondMs;
const retryAfterSeconds = 30;

/**
 * Returns one page of the records of an object that fit, in the order that is asked for (revision 1.4, section 33). It sees every write
 * that was answered before. Raises 400, also for a cursor of another search, and 503 where it would take longer than 20 seconds.
 */
export async function search<Object extends FieldObject>(
  tx: UnitOfWork,
  object: Object,
  body: SearchBody,
): Promise<Found<Rows[Object]>> {
  const noun = nouns[object] as unknown as Noun;
  const place = placeOf(body);
  const fieldOf = await fieldsFor(tx, noun, body);
  const order = orderOf(body.sort ?? [], fieldOf);
  const isWanted = await predicateOf(tx, noun, body, place, fieldOf);
  const { found, total } = await walk(tx, noun, isWanted, order, place, body.limit);
  const items = found.slice(0, body.limit);
  const last = items.at(-1);
  const hasMore = found.length > items.length;
  return {
    items: items.map(({ row }) => row as Rows[Object]),
    hasMore,
    nextCursor: hasMore && last ? cursorOf(body, place.now, last.position) : null,
    ...(body.count && { total }),
  };
}

type FieldOf = (name: string) => SearchField | undefined;

const metadataKey = /^metadata\.([A-Za-z0-9_.-]{1,40})$/;

/** Returns the fields of an object by their names, custom ones and keys of metadata among them. */
async function fieldsFor(tx: UnitOfWork, { object, fields }: Noun, { filter, sort }: SearchBody): Promise<FieldOf> {
  const named = JSON.stringify([filter, sort]).includes('"fields.');
  const custom = (named ? await fieldsOf(tx, object) : []).filter(({ isArchived }) => !isArchived);
  const bySlug = new Map(custom.map((field) => [`fields.${field.slug}`, searchFieldOf(field)]));
  return (name) => {
    if (Object.hasOwn(fields, name)) return fields[name];
    const [, key] = metadataKey.exec(name) ?? [];
    return key === undefined ? bySlug.get(name) : { kind: text, of: metadataOf(key) };
  };
}

const metadataOf = (key: string) => (row: { metadata: Record<string, string> }) =>
  Object.hasOwn(row.metadata, key) ? row.metadata[key] : null;

async function predicateOf(
  tx: UnitOfWork,
  noun: Noun,
  { q, filter, archived, timeZone }: SearchBody,
  { now: at }: Place,
  fieldOf: FieldOf,
): Promise<(row: never) => boolean> {
  const zone = zoneOf(timeZone ?? (await getWorkspace(tx)).timeZone);
  const reader = new FilterReader({ tx, nowMs: Date.parse(at), zone, fieldOf });
  const fitsFilter = filter === undefined ? () => true : await reader.read(filter, 'filter');
  if (reader.wrong.length > 0) throw invalidFields(inOrder(reader.wrong));
  const words = q === undefined ? [] : wordsOf(q, phoneSpellings);
  return (row) =>
    (archived === 'all' || isArchived(row) === archived) &&
    (words.length === 0 || holdsWords(searchedText(noun, row), words)) &&
    fitsFilter(row, at);
}

/** Conditions are read side by side. */
const inOrder = (wrong: readonly FieldError[]) =>
  [...wrong].sort((a, b) => a.field.localeCompare(b.field, 'en', { numeric: true }));

const isArchived = ({ archivedAt = null }: { archivedAt?: string | null }) => archivedAt !== null;

interface Placed {
  row: object;
  position: Position;
}

/** Reads every record of the object, and keeps those of the page and one more. */
async function walk(
  tx: UnitOfWork,
  { of }: Noun,
  isWanted: (row: never) => boolean,
  { positionOf, compare }: Order,
  { now: at, behind }: Place,
  limit: number,
): Promise<{ found: Placed[]; total: number }> {
  const endsAtMs = now() + longestMs;
  const byPosition = (a: Placed, b: Placed) => compare(a.position, b.position);
  let found: Placed[] = [];
  let total = 0;
  const look = (row: never) => {
    if (!isWanted(row)) return false;
    total += 1;
    const position = positionOf(row, at);
    if (behind === undefined || compare(position, behind) > 0) found.push({ row, position });
    return false;
  };
  for await (const page of pages({ pk: entityPartition(tx.tenant, of) })) {
    for (const stored of page) tx.rememberIf(of, stored, look as never, true);
    found = found.sort(byPosition).slice(0, limit + 1);
    if (now() > endsAtMs) throw unavailable(retryAfterSeconds, new Error('the search read for too long'));
  }
  return { found, total };
}
