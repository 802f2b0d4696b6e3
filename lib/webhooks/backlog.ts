import * as v from 'valibot';
import { now } from '#lib/core/clock.ts';
import { Deliveries, DueDelivery } from '#lib/entities/delivery.ts';
import type { Health } from '#lib/entities/webhook-health.ts';
import { type EntryRow, entries } from '#lib/table/entries.ts';
import type { Key } from '#lib/table/keys.ts';
import type { Row } from '#lib/table/rows.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { instant } from './dispatch.ts';

/** Deliveries that wait for an endpoint. */
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
  /** Entries that this version cannot read: they delay none of the others. */
  unreadable: Pick<Waiting, 'id' | 'entry'>[];
}

/** Waiting delivery, with its index entry. */
export type Waiting = DueDelivery & { entry: Key };

const pageSize = 250;
/**
 * Subjects in flight at most. One delivery of a subject is under way at a time, so that no subject waits for another
 * one's flood.
 */
const enoughSubjects = 20;
/** Behind a longer flood others wait until so much of it is left. */
const maxPages = 12;

/** Reads the beginning of what waits, by two queries side by side. Further attempts that waited at `resumedAt` are due. */
export async function readBacklog(
  tx: UnitOfWork,
  { id: endpointId, resumedAt }: Pick<Health, 'id' | 'resumedAt'>,
): Promise<Backlog> {
  const [pending, retrying] = await Promise.all([readPending(tx, endpointId), readRetrying(tx, endpointId)]);
  const lookedAt = instant(now());
  const waitedAtResume = ({ failedAt }: Row) => resumedAt !== null && String(failedAt) <= resumedAt;
  const isLater = (entry: Row) => timeOf(entry) > lookedAt && !waitedAtResume(entry);
  const later = retrying.filter(isLater);
  const [next] = later;
  const unreadable: Backlog['unreadable'] = [];
  const sound = (found: readonly Row[]): Waiting[] =>
    found.flatMap(({ pk, sk, ...copy }) => {
      const entry = { pk, sk };
      const { success, output } = v.safeParse(DueDelivery, copy);
      if (success) return [{ ...output, entry }];
      unreadable.push({ id: Number(sk.split('#').at(-1)), entry });
      return [];
    });
  return {
    first: sound(pending.first),
    retries: sound(retrying.filter((entry) => !isLater(entry))),
    later: sound(later),
    nextRetryAt: next ? timeOf(next) : null,
    isWide: pending.isWide,
    unreadable,
  };
}

/** Entries of the retry index are sorted by `<time>#<id>`. */
const timeOf = ({ sk }: Row) => sk.split('#')[0] as string;

async function readPending(tx: UnitOfWork, endpointId: number): Promise<{ first: Row[]; isWide: boolean }> {
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

async function readRetrying(tx: UnitOfWork, endpointId: number): Promise<EntryRow[]> {
  const range = { ascending: true, limit: pageSize };
  for await (const page of entries(tx, Deliveries, { retry: { endpointId } }, range)) return page;
  return [];
}
