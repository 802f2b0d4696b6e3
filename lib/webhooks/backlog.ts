import * as v from 'valibot';
import { fromNow, hourMs, minuteMs, now } from '#lib/clock.ts';
import { Deliveries, DueDelivery } from '#lib/entities/delivery.ts';
import { type By, entityPartition } from '#lib/table/entity.ts';
import { type EntryRow, entries } from '#lib/table/entries.ts';
import { type Key, sortableId } from '#lib/table/keys.ts';
import { pages } from '#lib/table/pages.ts';
import type { Row } from '#lib/table/rows.ts';
import { lastIdBy } from '#lib/table/search-time.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { instant } from './dispatch.ts';

/** What waits for an endpoint. */
export interface Backlog {
  /** First attempts in event order. */
  first: Waiting[];
  /** Further attempts whose time has come, in order of it. */
  retries: Waiting[];
  /** Further attempts whose time is to come. */
  later: Waiting[];
  nextRetryAt: string | null;
  /** More had to be read to find as many subjects as can be in hand: one of them has very many deliveries. */
  isWide: boolean;
  /** From which id on deliveries may be pending and unlisted, and from which on some are that can be made. */
  firstId: number;
  soundFromId: number;
  /** Unlisted ones that are far behind what was made since: whoever looks for them reads all of that. */
  overtaken: number[];
  /** What this version cannot read, and what failed for a reason of its own a while ago: it holds up none of the others. */
  quarantined: Quarantined[];
}

/** A delivery that is passed over. */
export interface Quarantined {
  id: number;
  entry: Key;
  isReadable: boolean;
  /** When it is tried again. */
  at: string;
}

/** Between two tries of one. */
const retryAfterMs = minuteMs;

/** What waits, and where it was found: its entry in an index, or its row. */
export type Waiting = DueDelivery & { entry: Key };

const pageSize = 250;
/** Of one subject one delivery is under way at a time: with so many subjects nobody waits for another one's flood. */
const enoughSubjects = 20;
/** Behind a longer flood others wait until so much of it is left. */
const maxPages = 12;

/** So many may have been made since the first that waits unlisted. */
const maxOvertaking = 1_000;
/** As many are listed at a time. */
const maxListed = 40;
/** An older release does not keep `firstId`: then it is one of those that were made in so long. */
const forgottenMs = hourMs;

/** The beginning of what waits, three queries side by side; unlisted deliveries are looked for from an id on. */
export async function readBacklog(tx: UnitOfWork, endpointId: number, fromId: number | undefined): Promise<Backlog> {
  const from = fromId ?? (await forgottenId(tx, endpointId));
  const [listed, unlisted, retrying] = await Promise.all([
    listedFirst(tx, endpointId),
    unlistedFirst(tx, endpointId, from),
    beginning(tx, { retry: { endpointId } }),
  ]);
  const lookedAt = instant(now());
  const later = retrying.filter((entry) => timeOf(entry) > lookedAt);
  const [next] = later;
  const quarantined: Quarantined[] = [];
  const sound = (entries: readonly Row[]): Waiting[] =>
    entries.flatMap(({ pk, sk, triedAt, ...copy }) => {
      const entry = { pk, sk };
      const { success, output } = v.safeParse(DueDelivery, copy);
      if (success && triedAt === undefined) return [{ ...output, entry }];
      const id = Number(sk.split('#').at(-1));
      const at = triedAt === undefined ? lookedAt : instant(Date.parse(triedAt as string) + retryAfterMs);
      quarantined.push({ id, entry, isReadable: success, at });
      return [];
    });
  const soundUnlisted = sound(unlisted.first);
  return {
    first: [...sound(listed.first), ...soundUnlisted],
    retries: sound(retrying.slice(0, retrying.length - later.length)),
    later: sound(later),
    nextRetryAt: next ? timeOf(next) : null,
    isWide: listed.isWide || unlisted.isWide,
    firstId: unlisted.firstId,
    soundFromId: soundUnlisted[0]?.id ?? unlisted.endId,
    overtaken: unlisted.overtaking > maxOvertaking ? soundUnlisted.slice(0, maxListed).map(({ id }) => id) : [],
    quarantined,
  };
}

/** From which id on to look for unlisted deliveries where that is not known. */
export const forgottenId = async (tx: UnitOfWork, endpointId: number): Promise<number> =>
  1 + (await lastIdBy(tx, Deliveries, { endpointId }, fromNow(-forgottenMs)));

/** Entries of the retry index are sorted by `<time>#<id>`. */
const timeOf = ({ sk }: Row) => sk.split('#')[0] as string;

async function listedFirst(tx: UnitOfWork, endpointId: number): Promise<{ first: Row[]; isWide: boolean }> {
  const first: Row[] = [];
  const subjects = new Set<unknown>();
  let pagesRead = 0;
  const by = { status: { endpointId, status: 'pending' } } as const;
  for await (const page of entries(tx, Deliveries, by, { ascending: true, limit: pageSize })) {
    pagesRead += 1;
    first.push(...page);
    for (const { subject } of page) subjects.add(subject);
    if (subjects.size >= enoughSubjects || pagesRead === maxPages) break;
  }
  return { first, isWide: pagesRead > 1 };
}

/** Unlisted first attempts, among whatever else was made since. */
async function unlistedFirst(tx: UnitOfWork, endpointId: number, from: number) {
  const first: Row[] = [];
  const subjects = new Set<unknown>();
  let read = 0;
  let overtaking = 0;
  let isFound = false;
  let endId = from;
  const range = { ascending: true, above: sortableId(from - 1), limit: pageSize };
  for await (const page of pages({ ...range, pk: entityPartition(tx.tenant, Deliveries, { endpointId }) })) {
    read += page.length;
    for (const row of page) {
      endId = Number(row.sk) + 1;
      if (row['status'] === 'pending' && row['isUnlisted'] === true) {
        first.push(row);
        // What has failed for a reason of its own is passed over.
        if (row['triedAt'] !== undefined) continue;
        isFound = true;
        subjects.add(row['subject']);
      } else if (isFound) overtaking += 1;
    }
    if (subjects.size >= enoughSubjects || first.length >= maxPages * pageSize) break;
  }
  const firstId = first[0] === undefined ? endId : Number(first[0].sk);
  return { first, isWide: read > pageSize, firstId, endId, overtaking };
}

async function beginning(tx: UnitOfWork, by: By<typeof Deliveries>): Promise<EntryRow[]> {
  for await (const page of entries(tx, Deliveries, by, { ascending: true, limit: pageSize })) return page;
  return [];
}
