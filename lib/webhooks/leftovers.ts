import { minuteMs } from '#lib/clock.ts';
import { Deliveries, type StoredDelivery } from '#lib/entities/delivery.ts';
import { Endpoints } from '#lib/entities/webhook.ts';
import { Healths } from '#lib/entities/webhook-health.ts';
import { ReplayQueues } from '#lib/entities/webhook-replays.ts';
import { conflict } from '#lib/problem.ts';
import { entryKey, keyOf } from '#lib/table/entity.ts';
import { identity, type Key } from '#lib/table/keys.ts';
import { type Row, readRows } from '#lib/table/rows.ts';
import { type Aside, type AsideKind, countTry, failed, isOwnReason, moving, passOver } from '#lib/table/set-aside.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { system, type Tenant } from '#lib/tenant.ts';
import type { Backlog, Suspect, Waiting } from './backlog.ts';
import { repeat, skippedFor } from './deliveries.ts';
import { dispatchSoon, instant } from './dispatch.ts';
import { faults, finished, forgetEntry, isUnderWay, LeaseLost, type Result, requireLease, settle } from './settle.ts';
import { countWaiting } from './waiting.ts';

/** Seven actions a delivery at most, of a transaction's hundred. */
const chunkSize = 12;

/**
 * Finishes some of what waits for an endpoint that is disabled (what was never tried is skipped, the rest has failed) or
 * deleted (it is dropped). Throws LeaseLost.
 */
export function clear(
  tenant: Tenant,
  endpointId: number,
  owner: string,
  { first, retries, later }: Backlog,
): Promise<void> {
  const chunk = [...first, ...retries, ...later].slice(0, chunkSize);
  return transact(tenant, system, async (tx) => {
    const [endpoint, rows] = await Promise.all([
      tx.find(Endpoints, { id: endpointId }),
      rowsOf(tx, endpointId, owner, chunk),
    ]);
    if (endpoint?.isActive) return;
    for (const row of rows) {
      if (!endpoint) tx.delete(Deliveries, row);
      else tx.update(Deliveries, ended(tx, row, row.attemptCount === 0 ? 'skipped' : 'failed', 'disabled'));
    }
    countWaiting(tx, endpointId, -rows.length, 'finished');
  });
}

/** Skips some of what is due: the attempts of the day are used up. Throws LeaseLost. */
export function skip(tenant: Tenant, endpointId: number, owner: string, { first, retries }: Backlog): Promise<void> {
  const chunk = [...first, ...retries].slice(0, chunkSize);
  return transact(tenant, system, async (tx) => {
    const rows = await rowsOf(tx, endpointId, owner, chunk);
    for (const row of rows) tx.update(Deliveries, ended(tx, row, 'skipped', 'quota'));
    countWaiting(tx, endpointId, -rows.length, 'finished');
  });
}

/**
 * The deliveries of some entries that are not finished, for the owner of the lease alone; an entry whose delivery is gone goes, too.
 */
async function rowsOf(
  tx: UnitOfWork,
  endpointId: number,
  owner: string,
  chunk: readonly Waiting[],
): Promise<StoredDelivery[]> {
  const [health, rows] = await Promise.all([
    tx.find(Healths, { id: endpointId }),
    tx.findAll(
      Deliveries,
      chunk.map(({ id }) => ({ endpointId, id })),
    ),
  ]);
  requireLease(health, owner);
  tx.requireUnchanged(Healths, health);
  for (const { id, entry } of chunk) if (!rows.some((row) => row.id === id)) forgetEntry(tx, entry);
  return rows.filter(isUnderWay);
}

const ended = (
  tx: UnitOfWork,
  row: StoredDelivery,
  status: 'skipped' | 'failed',
  why: keyof typeof skippedFor,
): StoredDelivery => ({ ...finished(tx, row, status), error: skippedFor[why] });

/** Of one endpoint no more are passed over at a time: all of them are read whenever it is looked what waits. */
const maxSuspects = 100;
/** Replays of which it is looked whether they can be read. */
const maxLookedThrough = 100;

/** Passes over what cannot be read of the deliveries that come next, whose row stopped the work on them. Returns how many these were. */
export async function passOverUnreadable(
  tenant: Tenant,
  endpointId: number,
  owner: string,
  { first, retries, later, suspects }: Backlog,
): Promise<number> {
  let count = 0;
  for (const { id, entry } of [...first, ...retries, ...later].slice(0, chunkSize)) {
    const error = await refusalOf(tenant, endpointId, id);
    if (error === undefined) continue;
    await passOverDelivery(tenant, endpointId, owner, { id, entry }, error, suspects.length + count);
    count += 1;
  }
  return count;
}

/** Why the row of a delivery cannot be read; undefined when it can. */
async function refusalOf(tenant: Tenant, endpointId: number, id: number): Promise<unknown> {
  try {
    await new UnitOfWork(tenant, system).find(Deliveries, { endpointId, id });
    return undefined;
  } catch (error) {
    if (!isOwnReason(error)) throw error;
    return error;
  }
}

/**
 * A delivery cannot be read or recorded: that is a try. It rests until the next one, and is set aside after the last, or at once
 * when too many of its endpoint rest. Throws LeaseLost.
 */
export async function passOverDelivery(
  tenant: Tenant,
  endpointId: number,
  owner: string,
  { id, entry }: Pick<Result, 'id' | 'entry'>,
  error: unknown,
  resting: number,
): Promise<void> {
  const move = (aside: Aside) => setDeliveryAside(tenant, endpointId, owner, { id, entry }, aside);
  if (resting >= maxSuspects) return move({ tries: 1, error });
  const [first = placeOf(tenant, endpointId, id)] = entry ? [entry] : await entriesOf(tenant, endpointId, id);
  await passOver(first, error, move);
  await transact(tenant, system, (tx) => letGo(tx, endpointId, owner, id));
}

/** So many are tried again before the lease is renewed. */
const maxRetried = 50;

/** Tries once more to record what was passed over and has rested, as an attempt that failed on our side. Throws LeaseLost. */
export async function retrySuspects(
  tenant: Tenant,
  endpointId: number,
  owner: string,
  { suspects }: Backlog,
): Promise<void> {
  const due = suspects.filter(isDue).slice(0, maxRetried);
  for (const { id, entry, isReadable } of due) {
    const tries = await countTry(entry);
    try {
      if (!isReadable) throw new Error('the entry of a delivery cannot be read');
      await settle(tenant, endpointId, owner, { results: [{ id, entry, fault: faults.unrecordable }] });
    } catch (error) {
      if (error instanceof LeaseLost || !isOwnReason(error)) throw error;
      const move = (aside: Aside) => setDeliveryAside(tenant, endpointId, owner, { id, entry }, aside);
      if (suspects.length > maxSuspects) await move({ tries: tries ?? 1, error });
      else await failed(entry, tries, error, move);
    }
  }
}

/** Whether it has rested. */
export const isDue = ({ at }: Suspect) => at <= instant(Date.now());

const placeOf = (tenant: Tenant, endpointId: number, id: number): Key =>
  keyOf(tenant, Deliveries, { endpointId, id } as StoredDelivery);

/** The entries by which a delivery is found that waits, as far as they are there. */
async function entriesOf(tenant: Tenant, endpointId: number, id: number): Promise<Row[]> {
  const key = placeOf(tenant, endpointId, id);
  const row = (await readRows([key])).get(identity(key));
  const entries = [
    entryKey(tenant, Deliveries, { status: { endpointId, status: 'pending' } }, id),
    entryKey(tenant, Deliveries, { retry: { endpointId } }, id, String(row?.['nextAttemptAt'])),
  ];
  return [...(await readRows(entries)).values()];
}

/** Sets a delivery aside that cannot be read or written, with its entries; its endpoint goes on without it. Throws LeaseLost. */
async function setDeliveryAside(
  tenant: Tenant,
  endpointId: number,
  owner: string,
  { id, entry }: Pick<Result, 'id' | 'entry'>,
  aside: Aside,
): Promise<void> {
  await transact(tenant, system, async (tx) => {
    const keys = [
      placeOf(tenant, endpointId, id),
      ...(await entriesOf(tenant, endpointId, id)),
      ...(entry ? [entry] : []),
    ];
    const found = await readRows(keys);
    await letGo(tx, endpointId, owner, id);
    const [first, ...others] = new Set(keys.flatMap((key) => found.get(identity(key)) ?? []));
    if (first === undefined) return;
    countWaiting(tx, endpointId, -1, 'finished');
    for (const write of moving([first, ...others], { ...aside, kind: deliveryAside, about: { endpointId } }))
      tx.write(write);
  });
}

/** Its attempt is no longer under way. Throws LeaseLost. */
async function letGo(tx: UnitOfWork, endpointId: number, owner: string, id: number): Promise<void> {
  const health = await tx.find(Healths, { id: endpointId });
  requireLease(health, owner);
  tx.update(Healths, { ...health, begun: health.begun.filter((one) => one !== id) });
}

/** A delivery that was set aside waits again, and its endpoint is woken. Raises 409 when that is deleted. */
export const deliveryAside: AsideKind<{ endpointId: number }> = {
  name: 'delivery',
  async putBack(tx, { endpointId }) {
    if (!(await tx.find(Endpoints, { id: endpointId })))
      throw conflict('endpoint_deleted', `the endpoint ${endpointId} is deleted: discard the delivery`);
    countWaiting(tx, endpointId, 1, 'made');
    await dispatchSoon(tx, endpointId);
  },
};

/** Makes some of the deliveries that wait to be replayed; those whose originals cannot be read hold up none of the others. */
export async function expandReplays(tenant: Tenant, endpointId: number): Promise<void> {
  try {
    await expand(tenant, endpointId, new Set());
  } catch (error) {
    const unreadable = isOwnReason(error) ? await passOverOriginals(tenant, endpointId) : new Set<number>();
    if (unreadable.size === 0) throw error;
    await expand(tenant, endpointId, unreadable);
  }
}

async function passOverOriginals(tenant: Tenant, endpointId: number): Promise<Set<number>> {
  const queue = await new UnitOfWork(tenant, system).find(ReplayQueues, { id: endpointId });
  const unreadable = new Set<number>();
  for (const id of queue?.deliveryIds.slice(0, maxLookedThrough) ?? []) {
    const error = await refusalOf(tenant, endpointId, id);
    if (error === undefined) continue;
    await passOver(placeOf(tenant, endpointId, id), error);
    unreadable.add(id);
  }
  return unreadable;
}

/** Those that cannot be read go to the end of the queue, which rests when they are all that was looked at. */
const expand = (tenant: Tenant, endpointId: number, unreadable: ReadonlySet<number>): Promise<void> =>
  transact(tenant, system, async (tx) => {
    const [waiting, endpoint] = await Promise.all([
      tx.find(ReplayQueues, { id: endpointId }),
      tx.find(Endpoints, { id: endpointId }),
    ]);
    if (!waiting) return;
    if (!endpoint) {
      tx.delete(ReplayQueues, waiting);
      return;
    }
    const isSound = (id: number) => !unreadable.has(id);
    const chunk = waiting.deliveryIds.slice(0, maxLookedThrough).filter(isSound).slice(0, chunkSize);
    const originals = await tx.findAll(
      Deliveries,
      chunk.map((id) => ({ endpointId, id })),
    );
    await tx.reserveIds({ [Deliveries.name]: originals.length });
    for (const original of originals) {
      if (!original.isReplayed) await repeat(tx, original, endpoint.isActive);
    }
    const left = waiting.deliveryIds.filter((id) => !chunk.includes(id));
    const deliveryIds = [...left.filter(isSound), ...left.filter((id) => unreadable.has(id))];
    const notBefore = chunk.length === 0 ? instant(Date.now() + minuteMs) : null;
    if (deliveryIds.length === 0) tx.delete(ReplayQueues, waiting);
    else tx.update(ReplayQueues, { ...waiting, deliveryIds, notBefore });
  });
