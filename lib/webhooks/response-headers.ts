import { oneLine } from '#lib/core/text.ts';

export type ResponseHeaders = Record<string, string>;

/** Size of one answer's headers as JSON (contract section 25). */
const maxBytes = 4096;
/** Names of headers whose values are credentials. */
const secret = /cookie|authorization|token|secret|password|credential|session|csrf|xsrf|api-?key/i;
const redacted = '[redacted]';

/** Returns the headers of an answer to keep: those that fit, in their order, with the values of secret ones redacted. */
export function keepHeaders(received: Readonly<Record<string, string | string[] | undefined>>): ResponseHeaders {
  let bytes = 2;
  const kept = Object.entries(received).flatMap(([name, value = '']) => {
    const header = [name, secret.test(name) ? redacted : oneLine([value].flat().join(', '))] as const;
    const size = Buffer.byteLength(JSON.stringify(header));
    if (bytes + size > maxBytes) return [];
    bytes += size;
    return [header];
  });
  return Object.fromEntries(kept);
}
