import { createHmac, createSecretKey, randomBytes } from 'node:crypto';

const prefix = 'whsec_';

/** One secret, ready to sign in both forms (contract section 14, "Sending"). */
export interface Signer {
  /** Over the body, keyed with the secret as it is written. */
  simple(body: Buffer): string;
  /** Standard Webhooks: over `id.timestamp.body`, keyed with the bytes that the secret encodes. */
  standard(id: string, timestamp: number, body: Buffer): string;
}

export function signer(secret: string): Signer {
  const asWritten = createSecretKey(Buffer.from(secret));
  const decoded = createSecretKey(Buffer.from(secret.slice(prefix.length), 'base64'));
  return {
    simple: (body) => `sha256=${createHmac('sha256', asWritten).update(body).digest('hex')}`,
    standard: (id, timestamp, body) =>
      `v1,${createHmac('sha256', decoded).update(`${id}.${timestamp}.`).update(body).digest('base64')}`,
  };
}

export const newSecret = () => `${prefix}${randomBytes(32).toString('base64')}`;

/** Signatures of one attempt: kept with it, because the secrets may change. */
export interface Signatures {
  /** Unix seconds. */
  timestamp: number;
  simple: string;
  /** By the secret that was rotated out and still has its grace. */
  previous: string | null;
  standard: string;
}

/** Signs a body with the current secret and, during a grace, with the previous one too. */
export function sign(
  [current, previous]: readonly [Signer, Signer?],
  deliveryId: string,
  timestamp: number,
  body: Buffer,
): Signatures {
  const both = previous ? [current, previous] : [current];
  return {
    timestamp,
    simple: current.simple(body),
    previous: previous ? previous.simple(body) : null,
    standard: both.map((one) => one.standard(deliveryId, timestamp, body)).join(' '),
  };
}
