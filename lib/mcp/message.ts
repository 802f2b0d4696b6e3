import { isUnseen } from '#lib/core/text.ts';
import type { Reply } from '#lib/http/idempotency.ts';

/** A JSON-RPC message as a client sends it; without an id it expects no answer. */
export interface Message {
  id?: string | number | undefined;
  method: string;
  params: Record<string, unknown>;
}

/** JSON-RPC's error codes and those of the MCP specification. */
export const codes = {
  parse: -32700,
  invalidRequest: -32600,
  unknownMethod: -32601,
  invalidParams: -32602,
  internal: -32603,
  headerMismatch: -32020,
  unsupportedVersion: -32022,
} as const;

/** A message that is refused before any tool runs. */
export class Refusal extends Error {
  readonly code: number;
  readonly status: number;
  readonly data: unknown;

  constructor(
    code: keyof typeof codes,
    message: string,
    { status = 400, data }: { status?: number; data?: unknown } = {},
  ) {
    super(message);
    this.code = codes[code];
    this.status = status;
    this.data = data;
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isBlank = (value: unknown) => typeof value === 'string' && isUnseen(value);

/** The JSON that a text is, where it is some of this kind. */
export function jsonIn<Value>(text: string, isKind: (value: unknown) => value is Value): Value | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isKind(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export const isList = (value: unknown): value is unknown[] => Array.isArray(value);

/** Returns whether a value means that it is absent: a text that shows nothing, an empty list, or an empty object. */
export const isEmpty = (value: unknown) =>
  value === undefined ||
  isBlank(value) ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
/** The same, or null. */
export const isNothing = (value: unknown) => value === null || isEmpty(value);

/** Returns an object that a client sends as itself, as its JSON, or as nothing; undefined for what is none. */
export function objectIn(value: unknown): Record<string, unknown> | undefined {
  if (isNothing(value)) return {};
  if (isObject(value)) return value;
  return typeof value === 'string' ? jsonIn(value, isObject) : undefined;
}

/** Every answer repeats it. */
const maxIdCharacters = 256;

/** The id of whatever was sent, as far as it has a usable one. */
export function idOf(sent: unknown): string | number | undefined {
  const id = isObject(sent) ? sent['id'] : undefined;
  const isUsable = typeof id === 'number' || (typeof id === 'string' && id.length <= maxIdCharacters);
  return isUsable ? id : undefined;
}

/** A request or a notification; nothing for an answer, which a server that asks nothing can only take note of. Raises a refusal. */
export function readMessage(sent: unknown): Message | undefined {
  if (!isObject(sent) || sent['jsonrpc'] !== '2.0')
    throw new Refusal('invalidRequest', 'send one JSON-RPC 2.0 message');
  const { method } = sent;
  const params = objectIn(sent['params']);
  if (method === undefined && ('result' in sent || 'error' in sent)) return undefined;
  if (typeof method !== 'string') throw new Refusal('invalidRequest', 'method must be a string');
  if (params === undefined) throw new Refusal('invalidParams', 'params must be an object');
  if ('id' in sent && idOf(sent) === undefined)
    throw new Refusal('invalidRequest', `id must be a number or a string of at most ${maxIdCharacters} characters`);
  return { id: idOf(sent), method, params };
}

/** One JSON-RPC answer and the HTTP status that goes with it when it is the only one. */
export interface Answer {
  status: number;
  body: Record<string, unknown>;
}

export const success = (id: string | number, result: object): Answer => ({
  status: 200,
  body: { jsonrpc: '2.0', id, result },
});

export const failure = (id: string | number | undefined, { code, message, status, data }: Refusal): Answer => ({
  status,
  body: { jsonrpc: '2.0', id: id ?? null, error: { code, message, ...(data === undefined ? {} : { data }) } },
});

export const accepted: Reply = { status: 202, body: '', headers: {} };
