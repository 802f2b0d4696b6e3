import * as v from 'valibot';
import { secondMs } from '#lib/core/clock.ts';
import { env } from '#lib/core/env.ts';
import { maxWaitSeconds } from '#lib/messages/jobs/outcomes.ts';
import type { Form } from '#lib/network/form.ts';
import { type Answered, type Exchange, openProvider, type Provider } from '#lib/network/provider.ts';

/** Wait after a 429 that names none. */
const defaultWaitSeconds = 30;

/** Refusal of a call by Telegram (https://core.telegram.org/bots/api#making-requests). */
export interface Refusal {
  kind: 'refusal';
  status: number;
  /** Without the token, which whoever stands in for Telegram may name. */
  error: string;
  /** There is no bot of this token, or no longer. */
  isRevoked: boolean;
  /** Wait that a 429 asks for. */
  retryAfterSeconds: number | undefined;
}

export type BotAnswer =
  | { kind: 'result'; result: unknown }
  | Refusal
  | { kind: 'unanswered'; exchange: Extract<Exchange, { error: string }> }
  /** It has answered, with more than anybody can read; `text` is what. */
  | { kind: 'unreadable'; text: string };

/** Why there is no result, or none that can be read, and how long Telegram says to wait, where it does. */
export interface Failure {
  error: string;
  isRevoked: boolean;
  waitMs: number;
}

export function failureOf(answer: BotAnswer): Failure {
  const failure = { isRevoked: false, waitMs: 0 };
  if (answer.kind === 'unanswered') return { ...failure, error: `no answer from Telegram (${answer.exchange.error})` };
  if (answer.kind !== 'refusal') return { ...failure, error: 'Telegram’s answer cannot be read' };
  const { error, isRevoked, retryAfterSeconds = 0 } = answer;
  return { error, isRevoked, waitMs: retryAfterSeconds * secondMs };
}

export interface BotApi {
  call(method: string, parameters?: Record<string, unknown>): Promise<BotAnswer>;
  /** A call with files; `unread`: why its body could not be read to its end. */
  upload(method: string, form: Form, timeoutMs: number): Promise<{ answer: BotAnswer; unread: Error | undefined }>;
  /** Downloads a file that `getFile` has prepared. */
  download(filePath: string): ReturnType<Provider['download']>;
  close(): Promise<void>;
}

/** The Bot API for one bot. `options` as for a provider. */
export function openBotApi(token: string, options?: Parameters<typeof openProvider>[1]): BotApi {
  const provider = openProvider(env('TELEGRAM_API_ROOT'), options);
  return {
    call: async (method, parameters = {}) =>
      answerOf(token, await provider.request('POST', `/bot${token}/${method}`, {}, parameters)),
    async upload(method, form, timeoutMs) {
      const { exchange, unread } = await provider.upload(`/bot${token}/${method}`, form, timeoutMs);
      return { answer: answerOf(token, exchange), unread };
    },
    download: (filePath) =>
      provider.download(`/file/bot${token}/${filePath.split('/').map(encodeURIComponent).join('/')}`),
    close: () => provider.close(),
  };
}

function answerOf(token: string, exchange: Exchange): BotAnswer {
  if ('error' in exchange) return { kind: 'unanswered', exchange };
  if (exchange.status !== 200) return refusalOf(token, exchange);
  const { body, text } = exchange;
  return v.is(Success, body) ? { kind: 'result', result: body.result } : { kind: 'unreadable', text };
}

const Success = v.object({ ok: v.literal(true), result: v.unknown() });

const Failure = v.object({
  description: v.optional(v.string(), 'no reason given'),
  parameters: v.optional(v.object({ retry_after: v.optional(v.pipe(v.number(), v.minValue(0)), defaultWaitSeconds) })),
});

function refusalOf(token: string, { status, body }: Answered): Refusal {
  const parsed = v.safeParse(Failure, body);
  const { description, parameters } = parsed.success
    ? parsed.output
    : { description: 'no reason given', parameters: undefined };
  return {
    kind: 'refusal',
    status,
    error: `Telegram answered ${status}: ${description.replaceAll(token, '…')}`,
    isRevoked: status === 401 || (status === 404 && description === 'Not Found'),
    retryAfterSeconds:
      status === 429 ? Math.min(maxWaitSeconds, parameters?.retry_after ?? defaultWaitSeconds) : undefined,
  };
}
