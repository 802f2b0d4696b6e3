import { createHmac, randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { reasonOf } from './connection.ts';
import { green, printable, red, timeOfDay } from './output.ts';
import { UsageError } from './verb.ts';

/** A program is perhaps stopped at a breakpoint; the API itself waits for 5 seconds. */
const timeoutMs = 30_000;
/** How long the API waits for an answer. */
const webhookTimeoutMs = 5000;
const shownBytes = 4096;
const shownCharacters = 200;

const prefix = 'whsec_';

/** One secret for each key, so that a receiver's settings stay right; it tells nothing of the key. */
const secretOf = (key: string) => `${prefix}${createHmac('sha256', key).update('crm listen').digest('base64')}`;

/** With what the events of a run are signed: what the caller gives, else the one of the key. */
export function signingSecret(given: string | undefined, key: string): string {
  if (given === undefined) return secretOf(key);
  if (!/^whsec_[A-Za-z0-9+/]{16,}={0,2}$/.test(given))
    throw new UsageError('--secret is not a signing secret: it is whsec_ and base64');
  return given;
}

/** An address to post to; `localhost:4000/hook` is one, and so is a port of this machine. */
export function receiverUrl(given: string): string {
  const named = given.replace(/^:?(?=\d+(?:[/?]|$))/, 'localhost:');
  const url = /^[a-z]+:\/\//i.test(named) ? named : `http://${named}`;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(`${given} is not an http or https URL`);
  return new URL(url).href;
}

/** Delivery to post: an event as it is signed and sent to endpoints. */
export interface Delivery {
  kind: string;
  /** The event's exact text. */
  body: string;
  /** ID of the delivery that it repeats. */
  replayOf: string | null;
}

interface Attempt {
  deliveryId: string;
  url: string;
  status: number | null;
  durationMs: number;
  /** The beginning of what the receiver has answered. */
  answer: string;
  error: string | null;
}

export const isTaken = ({ status }: Attempt) => status !== null && status >= 200 && status < 300;

/** Posts with the headers of a delivery (docs/contract.md, section 14). */
export async function post(
  url: string,
  secret: string,
  { kind, body, replayOf }: Delivery,
  stop?: AbortSignal,
): Promise<Attempt> {
  const deliveryId = randomUUID();
  const headers = signed(secret, deliveryId, body);
  const startedMs = performance.now();
  const made = { deliveryId, url, status: null as number | null, answer: '', error: null as string | null };
  try {
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      body,
      headers: {
        ...headers,
        'Content-Type': 'application/json',
        'User-Agent': 'crm-api-webhooks/1 (crm listen)',
        'X-SVC-Event': kind,
        'X-SVC-Attempt': '1',
        ...(replayOf !== null && { 'X-SVC-Replay-Of': replayOf }),
      },
      signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(stop ? [stop] : [])]),
    });
    made.status = response.status;
    made.answer = await beginningOf(response);
  } catch (error) {
    made.error = reasonOf(error);
  }
  return { ...made, durationMs: Math.round(performance.now() - startedMs) };
}

function signed(secret: string, deliveryId: string, body: string): Record<string, string> {
  const now = new Date();
  const timestamp = String(Math.floor(now.getTime() / 1000));
  return {
    'X-SVC-Delivery': deliveryId,
    'X-SVC-Timestamp': timestamp,
    'X-SVC-Signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    'webhook-id': deliveryId,
    'webhook-timestamp': timestamp,
    'webhook-signature': new Webhook(secret).sign(deliveryId, now, body),
  };
}

async function beginningOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= shownBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, shownBytes).toString();
}

export function attemptLine(attempt: Attempt): string {
  const { status, durationMs, url, answer, error } = attempt;
  const outcome = isTaken(attempt) ? green(String(status)) : red(String(status ?? error));
  const late =
    durationMs > webhookTimeoutMs ? `, longer than the ${webhookTimeoutMs / 1000} s that a webhook may take` : '';
  const beginning = answer === '' ? '' : `: ${printable(answer.slice(0, shownCharacters))}`;
  return `${timeOfDay()}    ${outcome} in ${durationMs} ms${late} from ${url}${beginning}`;
}
