import type * as v from 'valibot';
import { dayMs, shifted } from '#lib/core/clock.ts';
import { defaultZone, zoneOf } from '#lib/core/zone.ts';
import type { MemberSettings } from '#lib/entities/member.ts';

const isWorkingDay = (day: string) => ![0, 6].includes(new Date(day).getUTCDay());

/**
 * Returns when a member is next mailed what waits: at their hour of a working day in their zone, at most once a day. Null where they
 * want no mail.
 */
export function nextDigest(
  { timeZone, notifications: { mailHour } }: Pick<v.InferOutput<typeof MemberSettings>, 'timeZone' | 'notifications'>,
  now: string,
  sentAt: string | null,
): string | null {
  if (mailHour === null) return null;
  const zone = zoneOf(timeZone ?? defaultZone);
  const sentOn = sentAt === null ? '' : zone.day(sentAt);
  // The zone may have become one in which the last mail was of tomorrow.
  for (let day = zone.day(now); ; day = shifted(`${day}T00:00:00Z`, dayMs).slice(0, 10)) {
    const at = zone.hour(day, mailHour);
    if (isWorkingDay(day) && day > sentOn && at > now) return at;
  }
}
