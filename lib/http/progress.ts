import type middy from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { Allowance } from '#lib/auth/identify-key.ts';
import type { Caller } from '#lib/core/caller.ts';
import type { Problem } from '#lib/core/problem.ts';
import type { RequestFacts } from './route.ts';

export type Event = APIGatewayProxyEventV2;
export type Result = APIGatewayProxyStructuredResultV2;

/** Caller, without its rights. */
export type Known = Pick<Caller, 'tenant' | 'keyId' | 'actor'>;

/** State that the steps of one request hand on to each other and to its work. */
export interface Progress {
  readonly startedAtMs: number;
  readonly facts: RequestFacts;
  /** By lower-case name. */
  readonly headers: Record<string, string | undefined>;
  readonly cookies: readonly string[];
  /** Whether what is unknown is refused (`Prefer: handling=strict`). */
  readonly isStrict: boolean;
  /** Absent where nobody has to say who calls. */
  caller?: Caller;
  /** The key or the member that was refused, where it is one of ours. */
  refused?: Known;
  allowance?: Allowance;
  /** How often it was counted: each tool call of MCP is one. */
  counted: number;
  /** Points that were counted ahead of the work, and are given back when it has ended. */
  reserved: number;
  /** The decoded body, `{}` when there is none, or why it could not be read. */
  body: unknown;
  bodyProblem?: Problem;
}

/** Middy gives the handler no `request`, so the progress travels with the context, where the first step puts it. */
export interface RequestContext extends Context {
  progress?: Progress;
}

export type Request = middy.Request<Event, Result, Error, RequestContext>;
export type RequestStep = middy.MiddlewareObj<Event, Result, Error, RequestContext>;

export function progressOf({ progress }: RequestContext): Progress {
  if (progress === undefined) throw new Error('the request has not begun');
  return progress;
}

/** Returns the caller, after the step that identifies it. */
export function callerOf({ caller }: Progress): Caller {
  if (caller === undefined) throw new Error('nobody has asked who calls');
  return caller;
}
