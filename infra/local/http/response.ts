import { type Answer, maxPayloadBytes } from '../functions/invocation.ts';

export interface HttpAnswer {
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
}

/** Returns the answer of API Gateway itself, if no function answered. */
export const apiMessage = (status: number, message: string): HttpAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify({ message })),
});

/** Reads a function's answer by the rules of payload format 2.0; whatever breaks them is a 500. */
export function toHttpAnswer(answer: Answer): HttpAnswer {
  const failed = apiMessage(500, 'Internal Server Error');
  if (answer.error || Buffer.byteLength(answer.payload) > maxPayloadBytes) return failed;
  const result: unknown = JSON.parse(answer.payload);
  if (typeof result !== 'object' || result === null || !('statusCode' in result))
    return inferred(answer.payload, result);
  const {
    statusCode,
    headers = {},
    multiValueHeaders,
    cookies = [],
    body = '',
    isBase64Encoded = false,
  } = result as Shape;
  const status = Number(statusCode);
  if (!Number.isInteger(status) || status < 100 || status > 599) return failed;
  if (multiValueHeaders !== undefined || typeof body !== 'string' || !Array.isArray(cookies)) return failed;
  const lowerCased = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]);
  return {
    status,
    headers: {
      ...(body !== '' && { 'content-type': 'text/plain;charset=UTF-8' }),
      ...Object.fromEntries(lowerCased),
      ...(cookies.length > 0 && { 'set-cookie': cookies.map(String) }),
    },
    body: Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'),
  };
}

interface Shape {
  statusCode: unknown;
  headers?: Record<string, unknown> | null;
  multiValueHeaders?: unknown;
  cookies?: unknown;
  body?: unknown;
  isBase64Encoded?: boolean;
}

/** A result without a status code is the body of a 200. */
const inferred = (payload: string, result: unknown): HttpAnswer => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(typeof result === 'string' ? result : payload),
});
