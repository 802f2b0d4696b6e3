import { minuteMs } from '#lib/core/clock.ts';
import { type EventsKnown, maxSeen } from '#lib/entities/inbound.ts';

/** So long after a newer one X may still tell of an older event. */
const lateMs = 2 * minuteMs;
/** An id of X is its time in milliseconds and 22 bits (https://docs.x.com/fundamentals/x-ids). */
const lateIds = BigInt(lateMs) << 22n;

type Known = Pick<EventsKnown, 'floor' | 'seen'>;

/** Returns the known events of an account that begins after these. */
export const begunAt = (ids: readonly string[]): Known => ({
  floor: ids.reduce((newest, id) => (BigInt(id) > BigInt(newest) ? id : newest), '0'),
  seen: [],
});

/** Whether an event has been stored before. */
export const isKnown = ({ floor, seen }: Known, id: string): boolean => isSettled({ floor }, id) || seen.includes(id);

/** Whether nothing older than an event can be new. */
export const isSettled = ({ floor }: Pick<Known, 'floor'>, id: string): boolean => BigInt(id) <= BigInt(floor);

/** Returns the known events after these are stored too. All older events must be stored. */
export function advance({ floor, seen }: Known, ids: readonly string[]): Known {
  const all = [...new Set([...seen, ...ids])].map(BigInt).sort((one, other) => (one < other ? -1 : 1));
  const settled = (all.at(-1) ?? 0n) - lateIds;
  const last = all.at(-maxSeen - 1) ?? 0n;
  const next = [BigInt(floor), settled, last].reduce((highest, one) => (one > highest ? one : highest));
  return { floor: String(next), seen: all.filter((id) => id > next).map(String) };
}
