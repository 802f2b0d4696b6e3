import type * as v from 'valibot';
import { hourMs, now, timestamp } from '#lib/core/clock.ts';
import type { EndpointDay, Health, HealthHour } from '#lib/entities/webhook-health.ts';

const shownHours = 24;
/** Milliseconds up to which a success counts in each step; an attempt takes five seconds at most. */
const steps = [25, 50, 100, 200, 400, 800, 1600, 5000] as const;

const hourOf = (epochMs: number) => Math.floor(epochMs / hourMs);
const sum = (counts: readonly number[]) => counts.reduce((total, one) => total + one, 0);

/** Returns the hours with one more attempt; `tookMs` is undefined where it failed. What is older than a day is left out. */
export function withHour(hours: readonly HealthHour[], tookMs: number | undefined, epochMs: number): HealthHour[] {
  const hour = hourOf(epochMs);
  const kept = hours.filter((one) => one.hour > hour - shownHours && one.hour !== hour);
  const { failed, took } = hours.find((one) => one.hour === hour) ?? { failed: 0, took: [] };
  if (tookMs === undefined) return [...kept, { hour, failed: failed + 1, took }];
  const step = steps.findIndex((most, at) => tookMs <= most || at === steps.length - 1);
  const counts = Array.from({ length: Math.max(took.length, step + 1) }, (_, at) => took[at] ?? 0);
  return [...kept, { hour, failed, took: counts.with(step, (counts[step] ?? 0) + 1) }];
}

/** Returns the time within which 95 % succeeded, between the bounds of its step; null where nothing did. */
function p95Of(hours: readonly HealthHour[]): number | null {
  const counts = steps.map((_, at) => sum(hours.map(({ took }) => took[at] ?? 0)));
  const wanted = sum(counts) * 0.95;
  let below = 0;
  for (const [at, most] of steps.entries()) {
    const here = counts[at] ?? 0;
    const least = steps[at - 1] ?? 0;
    if (here > 0 && below + here >= wanted) return Math.round(least + ((wanted - below) / here) * (most - least));
    below += here;
  }
  return null;
}

/** Returns how the attempts of the last 24 hours went. */
export function dayOf({ id, hours }: Pick<Health, 'id' | 'hours'>): v.InferOutput<typeof EndpointDay> {
  const newest = hourOf(now());
  const recent = hours.filter(({ hour }) => hour > newest - shownHours);
  const shown = Array.from({ length: shownHours }, (_, at) => {
    const hour = newest - shownHours + 1 + at;
    const { failed, took } = recent.find((one) => one.hour === hour) ?? { failed: 0, took: [] };
    return { at: timestamp(new Date(hour * hourMs)), succeeded: sum(took), failed };
  });
  const succeeded = sum(shown.map((one) => one.succeeded));
  const failed = sum(shown.map((one) => one.failed));
  return { endpointId: id, succeeded, failed, p95Ms: p95Of(recent), hours: shown };
}
