import { AwsError } from '../aws-error.ts';

export type Timing = { atMs: number } | { everyMs: number };

const unitMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/** `at(2026-01-31T09:30:00)` in the time zone, or `rate(5 minutes)`. */
export function parseExpression(expression: string, timeZone: string): Timing {
  const at = /^at\((\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\)$/.exec(expression);
  if (at?.[1]) return { atMs: instantOf(at[1], timeZone, expression) };
  const rate = /^rate\(([1-9]\d*) (minute|hour|day)s?\)$/.exec(expression);
  if (rate?.[1]) return { everyMs: Number(rate[1]) * unitMs[rate[2] as keyof typeof unitMs] };
  if (expression.startsWith('cron(')) {
    throw new AwsError('ValidationException', 'The local scheduler has no cron expressions, only at and rate.');
  }
  throw invalidExpression(expression);
}

const invalidExpression = (expression: string) =>
  new AwsError('ValidationException', `Invalid Schedule Expression ${expression}.`);

function instantOf(local: string, timeZone: string, expression: string): number {
  const asUtc = Date.parse(`${local}Z`);
  // Date.parse rolls the 31st of a short month over into the next.
  if (Number.isNaN(asUtc) || !new Date(asUtc).toISOString().startsWith(local)) throw invalidExpression(expression);
  // The offset has to be the one in force at the result, which the first guess may miss around a change of clocks.
  const guess = asUtc - offsetMs(asUtc, timeZone);
  return asUtc - offsetMs(guess, timeZone);
}

/** How far the zone's clocks are ahead of UTC. */
function offsetMs(instant: number, timeZone: string): number {
  const shown = clock(timeZone).formatToParts(instant);
  const part = (type: string) => Number(shown.find((one) => one.type === type)?.value);
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second')) - instant;
}

function clock(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    throw new AwsError('ValidationException', `The time zone ${timeZone} is not valid.`);
  }
}
