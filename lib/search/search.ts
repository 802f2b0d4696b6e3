import type { Caller } from '#lib/core/caller.ts';
import { now, secondMs } from '#lib/core/clock.ts';
import { phoneSpellings } from '#lib/core/phone.ts';
import { invalidFields, unavailable } from '#lib/core/problem.ts';
import type { SearchBody } from '#lib/core/search-body.ts';
import { holdsWords, wordsOf } from '#lib/core/text.ts';
import type { StoredCompany } from '#lib/entities/company.ts';
import type { StoredContact } from '#lib/entities/contact.ts';
import type { StoredDeal } from '#lib/entities/deal.ts';
import type { FieldObject } from '#lib/entities/field.ts';
import type { StoredTask } from '#lib/entities/task.ts';
import { entityPartition } from '#lib/table/entity.ts';
import { pages } from '#lib/table/pages.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { cursorOf, type Place, placeOf } from './cursor.ts';
import { type Noun, nouns, searchedText } from './nouns.ts';
import type { Order, Position } from './order.ts';
import { readQuestion } from './question.ts';
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

/** A search that ends no sooner is refused (revision 1.4, section 33). */
const longestMs = 20 * secondMs;
const retryAfterSeconds = 30;

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
  const items = found.slice(0, body.limit);
  const last = items.at(-1);
  const hasMore = found.length > items.length;
  return {
    items: items.map(({ row }) => row as Rows[Object]),
    hasMore,
    nextCursor: hasMore && last ? cursorOf(asked, place.now, last.position) : null,
    ...(body.count && { total }),
  };
}

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
