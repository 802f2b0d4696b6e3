import type * as v from 'valibot';
import type { Caller } from '#lib/core/caller.ts';
import type { Role } from '#lib/core/choices.ts';
import type { Expand } from '#lib/core/include.ts';
import type { Need } from '#lib/core/needs.ts';
import type { ErrorCode } from '#lib/core/problem.ts';
import type { NeededScope } from '#lib/core/scopes.ts';
import type { UnitOfWork } from '../table/unit-of-work.ts';
import type { Changing } from './answer-text.ts';
import type { Claim } from './idempotency.ts';

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

type VariablesOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | VariablesOf<Rest>
  : never;

/** The path variables that are integers: all but those that a route names in `textParams`. */
export type Params<Path extends string = string, Text extends string = string> = string extends Path
  ? Readonly<Record<string, number>>
  : { readonly [Name in Exclude<VariablesOf<Path>, Text>]: number };
export type Texts<Text extends string = string> = Readonly<Record<Text, string>>;

/** Everything the rest of the house derives from: the stack, the bundle, OpenAPI, the local server, MCP and the contract tests. */
export interface Route<
  Query extends v.GenericSchema = v.GenericSchema,
  Body extends v.GenericSchema = v.GenericSchema,
  Response extends v.GenericSchema = v.GenericSchema,
  Path extends string = string,
  Text extends string = string,
> extends Changing {
  method: Method | 'ANY';
  /** As API Gateway writes it (`/v1/contacts/{id}`), or `$default` for whatever no route matches. */
  path: Path;
  /** Further paths without variables of their own that the same function answers. */
  alsoAt?: readonly string[];
  summary: string;
  /** Scopes, one of which is enough; `any` = any valid key; `public` = no key needed. */
  scope: NeededScope;
  /** Roles of members who call by a session of the panel; keys cannot (contract section 27). */
  roles?: readonly Role[];
  query?: Query;
  body?: Body;
  /** Body fields that belong to another operation, with its name: sending one is a 400 `not_allowed` (contract 0.1). */
  readOnly?: Record<string, string>;
  textParams?: readonly Text[];
  /** How the members of `include` come to be that rows do not hold. */
  expand?: Expand<UnitOfWork, never>;
  status: 200 | 201 | 202;
  /** Other success statuses that the work may set in `reply.status`. */
  otherStatuses?: readonly (200 | 201 | 202)[];
  response: Response;
  /** Schemas by status, where they differ; `response` is then any of them. */
  responseOf?: Readonly<Partial<Record<200 | 201 | 202, v.GenericSchema>>>;
  /** Error codes besides those every route can answer. */
  errors: readonly ErrorCode[];
  /**
   * The resource that a write on a path id changes, as its GET shows it: decides 404 before the body is validated, and
   * `If-Match` (contract 0.3). The answer of the write carries an ETag when it is the same representation.
   */
  current?(tx: UnitOfWork, params: Params<Path, Text>, texts: Texts<Text>, caller: Caller): Promise<unknown>;
  /** Decides 404 before the body is validated, for a write that does not look at `If-Match`. */
  exists?(tx: UnitOfWork, params: Params<Path, Text>): Promise<unknown>;
  /** The schema of what `current` returns, when the write answers something else. */
  representation?: v.GenericSchema;
  /** The schema of what was made, as its GET shows it, where the answer shows more. */
  made?: v.GenericSchema;
  /** The path of what was made, for `Location`; `<request path>/<id>` unless given. */
  location?(body: v.InferOutput<Response>, params: Params<Path, Text>): string;
  /**
   * Raises 403 where more than the scope decides whether the caller may do this: asked before the work, and again before a kept
   * answer is given once more.
   */
  permit?(
    input: Pick<Input<unknown, v.InferOutput<Body>, Path, Text>, 'tx' | 'caller' | 'params' | 'body'>,
  ): void | Promise<void>;
  /** It changes nothing although it is no GET: a search, whose question is too long for a URL. */
  isQuery?: true;
  /** It is not for callers of the API: the OpenAPI document leaves it out. */
  isUndocumented?: boolean;
  /** No tool of the MCP server reaches it: no model moves files or takes in a whole export, and of tools there are forty at most. */
  hasNoTool?: boolean;
  needs?: readonly Need[];
  /**
   * Part of the bundle besides the table's client, for which it may weigh more than 1.3 times a bare DocumentClient.
   */
  heavyDependency?: string;
  /** It may read for seconds: the stack reserves its concurrency, so that it takes no more of the account's. */
  isSlow?: true;
  timeoutSeconds?: number;
  memoryMb?: number;
}

/** Whether it changes anything: only such calls have an idempotency key and an audit entry. */
export const isWrite = ({ method, isQuery }: Pick<Route, 'method' | 'isQuery'>): boolean =>
  method !== 'GET' && !isQuery;

/** Whether the answer carries an ETag: one resource is read, made, or shown as it is after its change. */
export function answersTag({ method, path, status, current, representation }: Route): boolean {
  if (method === 'GET') return path.includes('{');
  return status === 201 || (status === 200 && current !== undefined && representation === undefined);
}

/** Input of an operation. */
export interface Input<Query, Body, Path extends string = string, Text extends string = string> {
  /** Reads what it needs; what it changes is committed after the work, together with the idempotency record and the audit entry. */
  tx: UnitOfWork;
  caller: Caller;
  params: Params<Path, Text>;
  texts: Texts<Text>;
  query: Query;
  body: Body;
  /** Parts of the answer that the work may set besides the body. */
  reply: { status?: 200 | 201 | 202; ignored: string[]; location?: string; cookie?: string };
  request: RequestFacts;
  /** Whether the caller wants what is unknown refused. */
  isStrict?: boolean;
  /** Held while the request runs under an `Idempotency-Key`. */
  claim?: Claim | undefined;
}

/** Facts of a request for the audit trail and the log; the same for HTTP and MCP. */
export interface RequestFacts {
  requestId: string;
  method: string;
  path: string;
  ip: string;
  userAgent: string | null;
  /** The name and the port under which the API was asked, as API Gateway tells them. */
  domain?: string | undefined;
  port?: string | undefined;
}
