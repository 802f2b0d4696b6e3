import { Webhook } from 'standardwebhooks';
import type { AnyEvent } from './feed.ts';

/** A delivery whose signature is not the endpoint's, or whose time is more than five minutes away. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/**
 * The event of a delivery, once its signature and its time are right (https://www.standardwebhooks.com). `body`: as it came, before
 * anything has parsed it. `secret`: the endpoint's, `whsec_…`. Raises WebhookVerificationError.
 */
export function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: Headers | Iterable<readonly [string, string]> | Record<string, string | string[] | undefined>,
  secret: string,
): AnyEvent {
  if (typeof body !== 'string' && !isBytes(body))
    throw new WebhookVerificationError(
      `body must be the raw body, a string or bytes as they came; given was ${nameOf(body)}. Read it before anything parses it.`,
    );
  if (headers === null || typeof headers !== 'object')
    throw new WebhookVerificationError(`headers must be those of the request; given was ${nameOf(headers)}.`);
  try {
    const pairs =
      Symbol.iterator in headers ? [...(headers as Iterable<readonly [string, unknown]>)] : Object.entries(headers);
    const given = Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), String(value ?? '')]));
    const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
    return new Webhook(secret.trim()).verify(text, given) as AnyEvent;
  } catch (error) {
    throw new WebhookVerificationError(error instanceof Error ? error.message : 'the delivery is not signed', {
      cause: error,
    });
  }
}

/** Returns whether a value is bytes, also those of another realm, which test runners have. */
const isBytes = (value: unknown): value is Uint8Array | ArrayBuffer =>
  ArrayBuffer.isView(value) || Object.prototype.toString.call(value) === '[object ArrayBuffer]';

/** What was given for a raw body: `undefined`, `an object that was parsed (Object)`. */
function nameOf(value: unknown): string {
  if (value === null || typeof value !== 'object') return value === null ? 'null' : typeof value;
  return `an object (${value.constructor?.name ?? 'without a class'})`;
}
