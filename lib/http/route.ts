import type * as v from 'valibot';
import type { Caller } from '../keys/identify.ts';
import type { ErrorCode } from '../problem.ts';
import type { Need } from '../queues.ts';
import type { Scope } from '../scopes.ts';
import type { UnitOfWork } from '../table/unit-of-work.ts';
import type { Claim } from './idempotency.ts';

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** Path variables: `{id}` and its like are integers; those a route names in `textParams` are text. */
export type Params = { id: number } & Record<string, number>;

/** Everything the rest of the house derives from: the stack, the bundle, OpenAPI, the local server, MCP and the contract tests. */
export interface Route<
  Query extends v.GenericSchema = v.GenericSchema,
  Body extends v.GenericSchema = v.GenericSchema,
  Response extends v.GenericSchema = v.GenericSchema,
> {
  method: Method | 'ANY';
  /** As API Gateway writes it (`/v1/contacts/{id}`), or `$default` for whatever no route matches. */
  path: string;
  summary: string;
  description?: string;
  /** `any` = any valid key; `public` = no key needed. */
  scope: Scope | 'any' | 'public';
  query?: Query;
  body?: Body;
  /** Body fields that belong to another operation, with its name: sending one is a 400 `not_allowed` (contract 0.1). */
  readOnly?: Record<string, string>;
  textParams?: readonly string[];
  status: 200 | 201 | 202;
  /** Other success statuses that the work may set in `reply.status`. */
  otherStatuses?: readonly (200 | 201 | 202)[];
  response: Response;
  /** Error codes besides those every route can answer. */
  errors: readonly ErrorCode[];
  /**
   * The resource that a write on a path id changes, as its GET shows it: decides 404 before the body is validated, and
   * `If-Match` (contract 0.3). The answer of the write carries an ETag when it is the same representation.
   */
  current?: (tx: UnitOfWork, params: Params, texts: Record<string, string>) => Promise<unknown>;
  /** The schema of what `current` returns, when the write answers something else. */
  representation?: v.GenericSchema;
  /** Fields that change without a change of the resource: the ETag leaves them out. */
  volatile?: readonly string[];
  /** The path of what was made, for `Location`; `<request path>/<id>` unless given. */
  location?(body: v.InferOutput<Response>, params: Params): string;
  /**
   * Raises 403 where more than the scope decides whether the caller may do this: asked before the work, and again before a kept
   * answer is given once more.
   */
  permit?(input: Pick<Input<unknown, v.InferOutput<Body>>, 'tx' | 'caller' | 'params' | 'body'>): void | Promise<void>;
  /** It is not for callers of the API: the OpenAPI document leaves it out. */
  isUndocumented?: boolean;
  needs?: readonly Need[];
  timeoutSeconds?: number;
  memoryMb?: number;
}

/** What an operation is given. */
export interface Input<Query, Body> {
  /** Reads what it needs; what it changes is committed after the work, together with the idempotency record and the audit entry. */
  tx: UnitOfWork;
  caller: Caller;
  params: Params;
  texts: Record<string, string>;
  query: Query;
  body: Body;
  /** What the work may say about its answer besides the body. */
  reply: { status?: 200 | 201 | 202; ignored: string[]; location?: string };
  request: RequestFacts;
  /** Held while the request runs under an `Idempotency-Key`. */
  claim?: Claim | undefined;
}

/** Who asked, for the audit trail and the log; the same for HTTP and MCP. */
export interface RequestFacts {
  requestId: string;
  method: string;
  path: string;
  ip: string;
  userAgent: string | null;
  /** The name under which the API was asked, as API Gateway tells it. */
  domain?: string | undefined;
}
