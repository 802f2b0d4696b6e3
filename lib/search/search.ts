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
import { maxPageBytes } from '#lib/table/list.ts';
import { bytesOf } from '#lib/table/size.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { cursorOf, type Place, placeOf } from './cursor.ts';
import { type Noun, nouns, searchedText } from './nouns.ts';
import type { Order, Position } from './order.ts';
import { readQuestion } from './question.ts';
import { eachRow, isArchived } from './rows.ts';
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
  const noun = nouns[object] as unknown as Noun;
  const view = body.viewId === undefined ? undefined : await viewFor(tx, caller, object, body.viewId);
  const filters = [view?.filter, body.filter].filter((filter) => filter !== undefined && filter !== null);
  const asked = { ...body, filters, sort: body.sort ?? view?.sort ?? [] };
  const place = placeOf(asked);
  const { wrong, predicates, order } = await readQuestion(tx, noun, { ...asked, at: place.now });
  if (wrong.length > 0) throw invalidFields(wrong);
  const words = body.q === undefined ? [] : wordsOf(body.q, phoneSpellings);
  const isWanted = (row: never) =>
    (body.archived === 'all' || isArchived(row) === body.archived) &&
    (words.length === 0 || holdsWords(searchedText(noun, row), words)) &&
    predicates.every((one) => one(row, place.now));
  const { found, total } = await walk(tx, noun, isWanted, order, place, body.limit);
  let bytes = 0;
  const items = found.slice(0, body.limit).filter(({ row }, index) => {
    bytes += bytesOf(row);
    return index === 0 || bytes <= maxPageBytes;
  });
  const last = items.at(-1);
  const hasMore = found.length > items.length;
  return {
    items: items.map(({ row }) => row as Rows[Object]),
    hasMore,
    nextCursor: hasMore && last ? cursorOf(asked, place.now, last.position) : null,
    ...(body.count && { total }),
  };
}

interface Placed {
  row: object;
  position: Position;
}

/** Keeps the rows of the page and one more of all that are wanted. */
async function walk(
  tx: UnitOfWork,
  { of }: Noun,
  isWanted: (row: never) => boolean,
  { positionOf, compare }: Order,
  { now: at, behind }: Place,
  limit: number,
): Promise<{ found: Placed[]; total: number }> {
  const byPosition = (a: Placed, b: Placed) => compare(a.position, b.position);
  let found: Placed[] = [];
  let total = 0;
  await eachRow(tx, of, (row: never) => {
    if (!isWanted(row)) return;
    total += 1;
    const position = positionOf(row, at);
    if (behind !== undefined && compare(position, behind) <= 0) return;
    found.push({ row, position });
    if (found.length > maxKept + limit) found = found.sort(byPosition).slice(0, limit + 1);
  });
  return { found: found.sort(byPosition).slice(0, limit + 1), total };
}
