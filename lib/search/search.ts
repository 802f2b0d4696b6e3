import type { Caller } from '#lib/core/caller.ts';
import { phoneSpellings } from '#lib/core/phone.ts';
import { invalidFields } from '#lib/core/problem.ts';
import type { SearchBody } from '#lib/core/search-body.ts';
import { holdsWords, wordsOf } from '#lib/core/text.ts';
import type { StoredCompany } from '#lib/entities/company.ts';
import type { StoredContact } from '#lib/entities/contact.ts';
import type { StoredDeal } from '#lib/entities/deal.ts';
import type { FieldObject } from '#lib/entities/field.ts';
import type { StoredTask } from '#lib/entities/task.ts';
import { idOf, keyOf } from '#lib/table/entity.ts';
import { maxPageBytes } from '#lib/table/list.ts';
import { bytesOf } from '#lib/table/size.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { CopiedRow } from './copied-row.ts';
import { cursorOf, type Place, placeOf } from './cursor.ts';
import { type Noun, nounOf, searchedText } from './nouns.ts';
import type { Order, Position } from './order.ts';
import { readQuestion } from './question.ts';
import { type Columns, eachRecord, withoutBrokenCopy } from './records.ts';
import { isArchived } from './rows.ts';
import { viewFor } from './views.ts';

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

/** Rows that are kept before those of later pages are dropped. */
const maxKept = 1000;

/**
 * Returns one page of the records of an object that fit, in the order that is asked for (revision 1.4, section 33). It sees every write
 * that was answered before. Raises 400, also for a cursor of another search, and 503 where it would take longer than 20 seconds.
 */
export async function search<Object extends FieldObject>(
  tx: UnitOfWork,
  caller: Caller,
  object: Object,
  body: SearchBody,
): Promise<Found<Rows[Object]>> {
  const noun = nounOf(object);
  const view = body.viewId === undefined ? undefined : await viewFor(tx, caller, object, body.viewId);
  const filters = [view?.filter, body.filter].filter((filter) => filter !== undefined && filter !== null);
  const asked = { ...body, filters, sort: body.sort ?? view?.sort ?? [] };
  const place = placeOf(asked);
  const { wrong, predicates, order, used } = await readQuestion(tx, noun, { ...asked, at: place.now });
  if (wrong.length > 0) throw invalidFields(wrong);
  const words = body.q === undefined ? [] : wordsOf(body.q, phoneSpellings);
  const isWanted = (row: never) =>
    (body.archived === 'all' || isArchived(row) === body.archived) &&
    (words.length === 0 || holdsWords(textOf(noun, row), words)) &&
    predicates.every((one) => one(row, place.now));
  const columns = { used, hasText: words.length > 0, isByIdAlone: asked.sort.length === 0 && !body.count };
  const wanted = { isWanted, order, place, limit: body.limit };
  const { found, total } = await withoutBrokenCopy((isWithoutCopy) =>
    walk(tx, noun, { ...columns, isWithoutCopy }, wanted),
  );
  const read = await readAll(tx, noun, found.slice(0, body.limit), isWanted);
  let bytes = 0;
  const items = read.filter(({ row }, index) => {
    bytes += bytesOf(row);
    return index === 0 || bytes <= maxPageBytes;
  });
  const last = items.length < read.length ? items.at(-1) : found[body.limit - 1];
  const hasMore = found.length > body.limit || items.length < read.length;
  return {
    items: items.map(({ row }) => row as Rows[Object]),
    hasMore,
    nextCursor: hasMore && last ? cursorOf(asked, place.now, last.position) : null,
    ...(body.count && { total }),
  };
}

interface Placed {
  /** Absent while only its copy was looked at. */
  row?: object;
  position: Position;
}

const textOf = (noun: Noun, row: never): string =>
  (row as object) instanceof CopiedRow ? (row as CopiedRow).searchText : searchedText(noun, row);

interface Wanted {
  isWanted: (row: never) => boolean;
  order: Order;
  place: Place;
  limit: number;
}

/** Keeps the rows of the page and one more of all that are wanted. */
async function walk(
  tx: UnitOfWork,
  noun: Noun,
  columns: Columns,
  { isWanted, order: { positionOf, compare }, place: { now: at, behind }, limit }: Wanted,
): Promise<{ found: Placed[]; total: number }> {
  const byPosition = (a: Placed, b: Placed) => compare(a.position, b.position);
  const most = columns.isByIdAlone ? limit + 1 : maxKept + limit;
  let found: Placed[] = [];
  /** The last one of those that are kept, once there are enough. */
  let last: Position | undefined;
  let total = 0;
  await eachRecord(tx, noun, columns, (row: never) => {
    if (!isWanted(row)) return true;
    total += 1;
    const position = positionOf(row, at);
    if (behind !== undefined && compare(position, behind) <= 0) return true;
    if (last !== undefined && compare(position, last) >= 0) return !columns.isByIdAlone;
    found.push((row as object) instanceof CopiedRow ? { position } : { row, position });
    if (found.length > most) {
      found = found.sort(byPosition).slice(0, limit + 1);
      last = found[limit]?.position;
    }
    return true;
  });
  return { found: found.sort(byPosition).slice(0, limit + 1), total };
}

interface Read extends Placed {
  row: object;
}

/** Returns the rows of a page, without those that have changed meanwhile so that they are no longer wanted. */
async function readAll(
  tx: UnitOfWork,
  { of }: Noun,
  page: readonly Placed[],
  isWanted: (row: never) => boolean,
): Promise<Read[]> {
  const places = page.filter(({ row }) => row === undefined).map(({ position: { id } }) => ({ id }));
  const keys = places.map((place) => keyOf(tx.tenant, of, place as never));
  const rows = await tx.findAllByKey(of, keys, (row) => isWanted(row as never), true);
  const byId = new Map(rows.map((row) => [idOf(row), row as object]));
  return page.flatMap(({ row, position }) => {
    const read = row ?? byId.get(position.id);
    return read ? [{ row: read, position }] : [];
  });
}
