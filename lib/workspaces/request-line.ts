import * as v from 'valibot';
import { environments } from '#lib/core/tenant.ts';

/** Log line of an identified request, which the worker of the request log reads. */
export const RequestLine = v.object({
  /** When the line was written, at the end of the request. */
  timestamp: v.pipe(v.string(), v.isoTimestamp()),
  /** By this the subscription to the log tells such lines from others. */
  isKept: v.literal(true),
  workspaceId: v.pipe(v.number(), v.integer(), v.minValue(1)),
  env: v.picklist(environments),
  keyId: v.string(),
  requestId: v.string(),
  method: v.string(),
  route: v.string(),
  path: v.string(),
  status: v.pipe(v.number(), v.integer()),
  /** The logger leaves out what is null. */
  reason: v.optional(v.nullable(v.string()), null),
  durationMs: v.number(),
  ip: v.string(),
});

export type RequestLine = v.InferOutput<typeof RequestLine>;

/** As CloudWatch Logs is told to tell them. */
export const requestLinePattern = '{ $.isKept IS TRUE }';
