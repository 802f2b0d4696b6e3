import { after, dayMs, epochSeconds, now, secondMs } from '../clock.ts';
import { log } from '../log.ts';
import { rateLimited } from '../problem.ts';
import { type Tenant, tenantKey } from '../tenant.ts';
import { defaultTimeoutSeconds } from '../timeouts.ts';
import { rowKey } from './keys.ts';
import { leases } from './lease.ts';
import type { Meter } from './pages.ts';
import { writeIf } from './update.ts';

/**
 * How many slow calls of a tenant may go on at once: each holds an invocation, of which the account has so many for all tenants and
 * workers.
 */
export const maxSlots = 10;

/** Of a tenant's slots those that are for ends alone, so that no other call can be in their way, begin so. */
export const ends = 'end/';

const slots = leases({ until: 'until', at: (epochMs) => epochMs, owner: 'owner' });

/**
 * Takes a slot for what is slow, for so long at most, one of so many that it tries. Returns what gives it back; undefined while others have all of the tenant's in its
 * pool.
 */
export async function takeSlot(
  tenant: Tenant,
  forMs: number,
  pool = '',
  most = maxSlots,
  tries = most,
): Promise<(() => Promise<void>) | undefined> {
  const first = Math.floor(Math.random() * most);
  for (let index = 0; index < tries; index += 1) {
    const key = rowKey('slot', { tenant: tenantKey(tenant), slot: pool + ((first + index) % most) });
    const expiresAtSeconds = epochSeconds(new Date(now() + dayMs));
    const { item } = await slots.acquire(now() + forMs, (holder) => ({
      key,
      item: { ...holder, expiresAtSeconds },
      if: slots.whereFree(),
    }));
    if (item)
      return async () => {
        await writeIf({ key, item: null, if: { is: { owner: item['owner'] } } }).catch((error: unknown) =>
          log().warn('a slot stays taken', { error }),
        );
      };
  }
  return undefined;
}

/** Does what may take long in a slot. Raises 429 while other calls have all of the tenant's. */
export async function inSlot<Result>(
  tenant: Tenant,
  forMs: number,
  work: () => Promise<Result>,
  pool?: string,
  most = maxSlots,
): Promise<Result> {
  const giveBack = await takeSlot(tenant, forMs, pool, most);
  if (!giveBack) throw tooManyAtOnce(most);
  try {
    return await work();
  } finally {
    await giveBack();
  }
}

/** What has ended by then needs no slot. */
const lateMs = secondMs / 2;

/** Those who take turns beside each other, and of how many slots each asks for one: of hundreds of lists at once each asks for few, as a partition takes a thousand writes a second. */
const turns = { list: { pool: 'list/', tries: 3 }, sum: { pool: '', tries: maxSlots } };

interface Turn {
  of?: keyof typeof turns;
  forMs?: number;
}

/**
 * Reads by a meter what seldom takes long, in a slot from when it does. The meter of who is `refused` one ends, so that pages do: before
 * the work has ended or not much later.
 */
async function inLateSlot<Result>(
  tenant: Tenant,
  meter: Meter,
  work: () => Promise<Result>,
  { of = 'list', forMs = defaultTimeoutSeconds * secondMs }: Turn = {},
): Promise<Result> {
  const { pool, tries } = turns[of];
  let taking: Promise<void> | undefined;
  let giveBack: Awaited<ReturnType<typeof takeSlot>>;
  const take = async () => {
    // A table that is asked for too many slots is as one without.
    giveBack = await takeSlot(tenant, forMs, pool, maxSlots, tries).catch(() => undefined);
    if (!giveBack) meter.endsAtMs = refusedMs;
  };
  const cancel = after(lateMs, () => {
    taking = take();
  });
  try {
    return await work();
  } finally {
    cancel();
    await taking;
    await giveBack?.();
  }
}

/** Reads a page: who is refused a slot ends it early, as who has read as much as a call may. */
export const readingPage = <Result>(tenant: Tenant, meter: Meter, work: () => Promise<Result>): Promise<Result> =>
  inLateSlot(tenant, meter, work);

/** Reads what is answered as a whole or not at all. Raises 429 while other such calls have all of the tenant's slots. */
export async function readingAll<Result>(
  tenant: Tenant,
  meter: Meter,
  work: () => Promise<Result>,
  turn?: Turn,
): Promise<Result> {
  const result = await inLateSlot(tenant, meter, work, turn);
  if (isRefused(meter)) throw tooManyAtOnce();
  return result;
}

const refusedMs = 0;

/** Whether what reads by this meter was refused a slot, and is to end. */
export const isRefused = ({ endsAtMs }: Meter): boolean => endsAtMs === refusedMs;

const retryAfterSeconds = 1;

const tooManyAtOnce = (most = maxSlots) =>
  rateLimited(
    `${most} calls of this kind are under way; try again when one of them has been answered`,
    retryAfterSeconds,
    'too_many_at_once',
  );
