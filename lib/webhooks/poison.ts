import { now } from '#lib/clock.ts';
import { Deliveries, type StoredDelivery } from '#lib/entities/delivery.ts';
import { Endpoints } from '#lib/entities/webhook.ts';
import { Healths } from '#lib/entities/webhook-health.ts';
import { conflict } from '#lib/problem.ts';
import { entryKey, keyOf } from '#lib/table/entity.ts';
import { identity, type Key } from '#lib/table/keys.ts';
import { type Row, readRows } from '#lib/table/rows.ts';
import { type Aside, type AsideKind, countTry, failed, isOwnReason, moving, passOver } from '#lib/table/set-aside.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { system, type Tenant } from '#lib/tenant.ts';
import type { Backlog, Quarantined } from './backlog.ts';
import { maxPerTransaction } from './deliveries.ts';
import { dispatchSoon, instant } from './dispatch.ts';
import { commitAttempts, faults, LeaseLost, type Result, requireLease } from './settle.ts';
import { countFinished, countMade } from './waiting.ts';

/** Whether a write failed for what it holds, not for the state of the table or of others. */
export const isPoison = (error: unknown): boolean => !(error instanceof LeaseLost) && isOwnReason(error);

/** Of one endpoint no more are passed over at a time: all of them are read whenever it is looked what waits. */
const maxQuarantined = 100;
/** Passes over what cannot be read of the deliveries that come next, whose row stopped the work on them. Returns how many these were. */
export async function passOverUnreadable(
  tenant: Tenant,
  endpointId: number,
  owner: string,
  { first, retries, later, quarantined }: Backlog,
): Promise<number> {
  let count = 0;
  for (const { id, entry } of [...first, ...retries, ...later].slice(0, maxPerTransaction)) {
    const error = await refusalOf(tenant, endpointId, id);
    if (error === undefined) continue;
    await passOverDelivery(tenant, endpointId, owner, { id, entry }, error, quarantined.length + count);
    count += 1;
  }
  return count;
}

/** Why the row of a delivery cannot be read; undefined when it can. */
export async function refusalOf(tenant: Tenant, endpointId: number, id: number): Promise<unknown> {
  try {
    await new UnitOfWork(tenant, system).find(Deliveries, { endpointId, id });
    return undefined;
  } catch (error) {
    if (!isOwnReason(error)) throw error;
    return error;
  }
}

/**
 * A delivery cannot be read or recorded: that is a try. It waits a minute until the next one, and is set aside after the last, or
 * at once when too many of its endpoint wait so. Throws LeaseLost.
 */
export async function passOverDelivery(
  tenant: Tenant,
  endpointId: number,
  owner: string,
  { id, entry }: Pick<Result, 'id' | 'entry'>,
  error: unknown,
  quarantinedCount: number,
): Promise<void> {
  const move = (aside: Aside) => setDeliveryAside(tenant, endpointId, owner, { id, entry }, aside);
  if (quarantinedCount >= maxQuarantined) return move({ tries: 1, error });
  const [first = placeOf(tenant, endpointId, id)] = entry ? [entry] : await entriesOf(tenant, endpointId, id);
  await passOver(first, error, move);
  await transact(tenant, system, (tx) => letGo(tx, endpointId, owner, id));
}

/** So many are tried again before the lease is renewed. */
const maxRetried = 50;

/** Tries once more to record what was passed over a minute ago, as an attempt that failed on our side. Throws LeaseLost. */
export async function retryQuarantined(
  tenant: Tenant,
  endpointId: number,
  owner: string,
  { quarantined }: Backlog,
): Promise<void> {
  const due = quarantined.filter(isDue).slice(0, maxRetried);
  for (const { id, entry, isReadable } of due) {
    const tries = await countTry(entry);
    try {
      if (!isReadable) throw new Error('the entry of a delivery cannot be read');
      await commitAttempts(tenant, endpointId, owner, { results: [{ id, entry, fault: faults.unrecordable }] });
    } catch (error) {
      if (!isPoison(error)) throw error;
      const move = (aside: Aside) => setDeliveryAside(tenant, endpointId, owner, { id, entry }, aside);
      if (quarantined.length > maxQuarantined) await move({ tries: tries ?? 1, error });
      else await failed(entry, tries, error, move);
    }
  }
}

/** Whether its next try is due. */
export const isDue = ({ at }: Quarantined) => at <= instant(now());

/** The key of a delivery. */
export const placeOf = (tenant: Tenant, endpointId: number, id: number): Key =>
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
    await countFinished(tx, endpointId, 1);
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
    await countMade(tx, endpointId, 1);
    await dispatchSoon(tx, endpointId);
  },
};
