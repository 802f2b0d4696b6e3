import type { GenericSchema } from 'valibot';
import type { Need } from '../queues.ts';
import type { Scope } from '../scopes.ts';
import type { ErrorCode } from './errors.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** Everything the rest of the house derives from: the stack, the bundle, OpenAPI, the local server, MCP and the contract tests. */
export interface Route {
  method: Method | 'ANY';
  /** As API Gateway writes it (`/v1/contacts/{id}`), or `$default` for whatever no route matches. */
  path: string;
  summary: string;
  description?: string;
  /** `any` = any valid key; `public` = no key needed. */
  scope: Scope | 'any' | 'public';
  query?: GenericSchema;
  body?: GenericSchema;
  status: 200 | 201 | 202;
  response: GenericSchema;
  /** Error codes besides those every route can answer. */
  errors: readonly ErrorCode[];
  needs?: readonly Need[];
  timeoutSeconds?: number;
  memoryMb?: number;
}
