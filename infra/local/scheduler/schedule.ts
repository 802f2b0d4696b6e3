import * as v from 'valibot';
import { now } from '#lib/core/clock.ts';
import { AwsError } from '../aws-error.ts';

const name = v.pipe(v.string(), v.regex(/^[0-9a-zA-Z\-_.]{1,64}$/));
const arn = v.pipe(v.string(), v.startsWith('arn:'), v.maxLength(1600));

/** A schedule for one time that is gone when it has fired, in UTC: the kind that this product makes. All else is refused. */
const scheduleSchema = v.strictObject({
  Name: name,
  GroupName: name,
  ScheduleExpression: v.string(),
  FlexibleTimeWindow: v.strictObject({ Mode: v.literal('OFF') }),
  ActionAfterCompletion: v.optional(v.picklist(['NONE', 'DELETE']), 'NONE'),
  ClientToken: v.optional(v.string()),
  Target: v.strictObject({
    Arn: arn,
    RoleArn: arn,
    Input: v.optional(v.pipe(v.string(), v.minLength(1), v.maxBytes(262_144)), '{}'),
    DeadLetterConfig: v.optional(v.strictObject({ Arn: v.optional(arn) })),
  }),
});

export type ScheduleInput = v.InferOutput<typeof scheduleSchema>;

// A schedule is good to the minute, so a time just over is still now.
const graceMs = 60_000;

/** A request to create a schedule, checked, and when it fires. */
export function parseSchedule(given: Record<string, unknown>): { input: ScheduleInput; atMs: number } {
  const parsed = v.safeParse(scheduleSchema, given);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    const member = v.getDotPath(issue) ?? 'input';
    throw invalid(`1 validation error detected: Value at '${member}' failed to satisfy constraint: ${issue.message}`);
  }
  const expression = parsed.output.ScheduleExpression;
  const [, at = ''] = /^at\((\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\)$/.exec(expression) ?? [];
  const atMs = Date.parse(`${at}Z`);
  // Date.parse rolls the 31st of a short month over into the next.
  if (Number.isNaN(atMs) || !new Date(atMs).toISOString().startsWith(at))
    throw invalid(`Invalid Schedule Expression ${expression}.`);
  if (atMs <= now() - graceMs) throw invalid(`Invalid Schedule Expression ${expression}: the time is past.`);
  return { input: parsed.output, atMs };
}

const invalid = (message: string) => new AwsError('ValidationException', message);
