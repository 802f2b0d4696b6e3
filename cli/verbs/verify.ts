import { readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook, WebhookVerificationError } from '../../client/index.ts';
import { operandsOf } from '../operands.ts';
import { Failure, UsageError, verb } from '../verb.ts';

export const verify = verb({
  summary: 'Checks the signature of a delivery, and says what is wrong with it.',
  usage: '--secret whsec_… --headers FILE [BODY]',
  options: {
    secret: { type: 'string', value: 'whsec_…', help: 'the signing secret; default: CRM_WEBHOOK_SECRET' },
    headers: { type: 'string', value: 'FILE', help: 'the headers, as JSON or a "Name: value" on each line' },
    'any-time': { type: 'boolean', help: 'accept a delivery of any age (default: at most five minutes)' },
  },
  more: `BODY is the file of the exact body, the standard input unless said. It asks nobody: no key is needed.`,
  async run({ values, operands, output }) {
    if (operands.length > 1) operandsOf(operands, '[BODY]');
    const secret = values.secret ?? process.env['CRM_WEBHOOK_SECRET'];
    if (!secret) throw new UsageError('--secret is missing');
    if (!/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret))
      throw new UsageError('--secret is not a signing secret: it is whsec_ and base64');
    if (values.headers === undefined) throw new UsageError('--headers is missing');
    const headers = headersIn(contentOf(values.headers).toString());
    const [file = '-'] = operands;
    const body = (file === '-' ? await buffer(process.stdin) : contentOf(file)).toString();
    const event = values['any-time'] ? signedEvent(secret, headers, body) : verified(secret, headers, body);
    output.result({ valid: true, event }, 'the signature is right');
  },
});

function verified(secret: string, headers: Record<string, string>, body: string) {
  try {
    return verifyWebhook(body, headers, secret);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    // If the signature is right, only the time can be wrong.
    signedEvent(secret, headers, body);
    throw new Failure(
      `the signature is right, but its time is not within the last five minutes (${error.message}); to skip this check, add --any-time`,
    );
  }
}

/** Returns the event of a signature of any age. Raises Failure with the reason. */
function signedEvent(secret: string, headers: Record<string, string>, body: string): unknown {
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;
  const missing = names.find((name) => !headers[name]);
  if (missing !== undefined) throw new Failure(`the header ${missing} is missing`);
  const [id = '', timestamp = '', signatures = ''] = names.map((name) => headers[name]);
  if (!/^\d{1,12}$/.test(timestamp)) throw new Failure('webhook-timestamp is not a time in seconds');
  const isSigned = (text: string) =>
    signatures.split(' ').includes(new Webhook(secret).sign(id, new Date(Number(timestamp) * 1000), text));
  if (isSigned(body)) return JSON.parse(body);
  const trimmed = body.replace(/\r?\n$/, '');
  if (trimmed !== body && isSigned(trimmed))
    throw new Failure('the signature fits the body without its last line break: save the body without it');
  throw new Failure(
    'the signature is wrong: check the secret, and that the body is byte for byte the one that was sent',
  );
}

function contentOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** By their names in lower case. */
function headersIn(text: string): Record<string, string> {
  const pairs = text.trimStart().startsWith('{') ? Object.entries(jsonOf(text)) : text.split(/\r?\n/).flatMap(pairOf);
  return Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), String(value)]));
}

function pairOf(line: string): [string, string][] {
  // As curl -v shows them, too.
  const [, name, value] = /^(?:[<>] )?([\w-]+): *(.*)$/.exec(line) ?? [];
  return name === undefined || value === undefined ? [] : [[name, value.trim()]];
}

function jsonOf(text: string): object {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`the headers are not JSON: ${(error as Error).message}`);
  }
}
