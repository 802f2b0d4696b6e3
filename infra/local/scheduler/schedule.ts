import * as v from 'valibot';
import { now } from '#lib/core/clock.ts';
import { AwsError } from '../aws-error.ts';
import { parseExpression, type Timing } from './expression.ts';

const name = v.pipe(v.string(), v.regex(/^[0-9a-zA-Z\-_.]{1,64}$/));
const arn = v.pipe(v.string(), v.startsWith('arn:'), v.maxLength(1600));
const epochSeconds = v.number();

const integer = (least: number, most: number) => v.pipe(v.number(), v.integer(), v.minValue(least), v.maxValue(most));

const targetSchema = v.looseObject({
  Arn: arn,
  RoleArn: arn,
  Input: v.optional(v.pipe(v.string(), v.minLength(1), v.maxBytes(262_144))),
  RetryPolicy: v.optional(
    v.object({
      MaximumEventAgeInSeconds: v.optional(integer(60, 86_400), 86_400),
      MaximumRetryAttempts: v.optional(integer(0, 185), 185),
    }),
    {},
  ),
  DeadLetterConfig: v.optional(v.looseObject({ Arn: v.optional(arn) })),
  SqsParameters: v.optional(v.looseObject({ MessageGroupId: v.optional(v.string()) })),
});

const scheduleSchema = v.object({
  Name: name,
  GroupName: v.optional(name, 'default'),
  ScheduleExpression: v.pipe(v.string(), v.minLength(1), v.maxLength(256)),
  ScheduleExpressionTimezone: v.optional(v.string(), 'UTC'),
  StartDate: v.optional(epochSeconds),
  EndDate: v.optional(epochSeconds),
  Description: v.optional(v.pipe(v.string(), v.maxLength(512))),
  State: v.optional(v.picklist(['ENABLED', 'DISABLED']), 'ENABLED'),
  KmsKeyArn: v.optional(arn),
  Target: targetSchema,
  FlexibleTimeWindow: v.variant('Mode', [
    v.object({ Mode: v.literal('OFF') }),
    v.object({
      Mode: v.literal('FLEXIBLE'),
      MaximumWindowInMinutes: integer(1, 1440),
    }),
  ]),
  ActionAfterCompletion: v.optional(v.picklist(['NONE', 'DELETE']), 'NONE'),
  ClientToken: v.optional(v.string()),
});

export type ScheduleInput = v.InferOutput<typeof scheduleSchema>;

/** A request to create or change a schedule, checked, and when it fires. */
export function parseSchedule(given: Record<string, unknown>): { input: ScheduleInput; timing: Timing } {
  const input = check(scheduleSchema, given);
  const timing = parseExpression(input.ScheduleExpression, input.ScheduleExpressionTimezone);
  return { input, timing };
}

export const parseName = (given: string) => check(v.object({ Name: name }), { Name: given }).Name;

function check<Schema extends v.GenericSchema>(schema: Schema, given: unknown): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, given);
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  const member = v.getDotPath(issue) ?? 'input';
  throw new AwsError(
    'ValidationException',
    `1 validation error detected: Value at '${member}' failed to satisfy constraint: ${issue.message}`,
  );
}

// A schedule is good to the minute, so a time just over is still now.
const graceMs = 60_000;

export function refusePast(timing: Timing, expression: string): void {
  if (!('atMs' in timing) || timing.atMs > now() - graceMs) return;
  throw new AwsError('ValidationException', `Invalid Schedule Expression ${expression}: the time is past.`);
}

/** When a schedule fires for the first time: a rate at its start, as AWS does. */
export function firstFireMs(timing: Timing, input: ScheduleInput): number | undefined {
  if ('atMs' in timing) return timing.atMs;
  return withinDates(Math.max(now(), toMs(input.StartDate) ?? 0), input);
}

/** When it fires after `firedAt`, or never again. */
export function nextFireMs(timing: Timing, input: ScheduleInput, firedAt: number): number | undefined {
  if ('atMs' in timing) return undefined;
  // After a sleep the missed firings are skipped, not made up for.
  const missed = Math.floor(Math.max(now() - firedAt, 0) / timing.everyMs);
  return withinDates(firedAt + (missed + 1) * timing.everyMs, input);
}

const withinDates = (fireAt: number, input: ScheduleInput) =>
  fireAt <= (toMs(input.EndDate) ?? Number.POSITIVE_INFINITY) ? fireAt : undefined;

const toMs = (seconds: number | undefined) => (seconds === undefined ? undefined : seconds * 1000);
