import { randomUUID } from 'node:crypto';
import { now } from '#lib/core/clock.ts';
import { type Condition, type Write, type Written, writeIf } from './write.ts';

/** How the rows of a kind say who has them in hand, and until when. */
interface Form<Until extends string, Time extends number | string, Owner extends string> {
  until: Until;
  /** A moment as `until` holds it. */
  at: (epochMs: number) => Time;
  /** Another one for everybody who takes the row. */
  owner?: Owner;
  /** Nobody takes it for longer, however clocks differ: a row that says so is in nobody's hands. */
  longestMs?: number;
}

/**
 * Rows that one process at a time has in hand: until it gives them free, or until a time by which it has renewed its lease or is
 * dead. For rows that a unit of work has read as well as for a write by itself.
 */
export function leases<const Until extends string, Time extends number | string, const Owner extends string = never>({
  until,
  at,
  owner,
  longestMs = Number.POSITIVE_INFINITY,
}: Form<Until, Time, Owner>) {
  type Row = Partial<Record<Until | Owner, unknown>> | Record<string, unknown>;
  type Taken = Record<Until, Time> & Record<Owner, string>;

  /** Returns the attributes that take the row for its holder. */
  const taken = (untilMs: number): Taken =>
    Object.assign(renewed(untilMs), owner && ({ [owner]: randomUUID() } as Record<Owner, string>));

  /** Returns the attributes that give the holder more time. */
  const renewed = (untilMs: number) => ({ [until]: at(untilMs) }) as Record<Until, Time>;

  /** Whether a row, as it is now, is in the hands of that holder; the end of its time decides where the owner was not read. */
  const isHeldBy = <Now extends Row>(row: Now | undefined, holder: Row): row is Now => {
    const mark = owner !== undefined && holder[owner] !== undefined ? owner : until;
    return row !== undefined && row[mark] === holder[mark];
  };

  return {
    taken,
    renewed,
    isHeldBy,

    /** Whether nobody has the row in hand. */
    isFree(row: Row, nowMs = now()): boolean {
      const end = row[until] as Time | null | undefined;
      if (end === null || end === undefined || end <= at(nowMs)) return true;
      return Number.isFinite(longestMs) && end > at(nowMs + longestMs);
    },

    /** The same as the condition of a write. */
    whereFree: (nowMs = now()): Condition => ({
      any: [
        { absent: [until] },
        { is: { [until]: null } },
        { atMost: { [until]: at(nowMs) } },
        ...(Number.isFinite(longestMs) ? [{ above: { [until]: at(nowMs + longestMs) } }] : []),
      ],
    }),

    /** Takes a row by a write by itself. When its answer is lost the SDK repeats it, and the row is refused to whom it belongs. */
    async acquire(untilMs: number, write: (holder: Taken) => Write): Promise<Written> {
      const holder = taken(untilMs);
      const written = await writeIf(write(holder));
      return isHeldBy(written.refused, holder) ? { item: written.refused } : written;
    },
  };
}
