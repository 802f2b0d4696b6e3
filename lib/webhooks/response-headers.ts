import { oneLine } from '#lib/core/text.ts';

export type ResponseHeaders = Record<string, string>;

/** Size of one answer's headers as JSON (contract section 25). */
const maxBytes = 4096;
/** Names of headers whose values are credentials. */
const secret = /cookie|authorization|token|secret|password|credential|session|csrf|xsrf|api-?key/i;
const redacted = '[redacted]';
/** A shorter value is in many texts by chance. */
const minSecretCharacters = 4;

/** Returns a text of a receiver without the values of the endpoint's own headers, which it may repeat. */
export const withoutValues = (text: string, values: readonly string[]): string =>
  values
    .filter(({ length }) => length >= minSecretCharacters)
    .sort((a, b) => b.length - a.length)
    .reduce((left, value) => left.replaceAll(value, () => redacted), text);

/** Returns the headers of an answer to keep: those that fit, in their order, with the values of secret ones redacted. */
export function keepHeaders(
  received: Readonly<Record<string, string | string[] | undefined>>,
  values: readonly string[] = [],
): ResponseHeaders {
  let bytes = 2;
  const kept = Object.entries(received).flatMap(([name, value = '']) => {
    const header = [
      name,
      secret.test(name) ? redacted : oneLine(withoutValues([value].flat().join(', '), values)),
    ] as const;
    const size = Buffer.byteLength(JSON.stringify(header));
    if (bytes + size > maxBytes) return [];
    bytes += size;
    return [header];
  });
  return Object.fromEntries(kept);
}
