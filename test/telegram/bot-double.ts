import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';

/** A result, or what Telegram says instead: https://core.telegram.org/bots/api#making-requests. */
interface Answer {
  status: number;
  body: Record<string, unknown>;
}

interface Webhook {
  url: string;
  secretToken: string;
  allowedUpdates: string[];
  maxConnections: number;
}

const done = (result: unknown): Answer => ({ status: 200, body: { ok: true, result } });
const refused = (status: number, description: string): Answer => ({
  status,
  body: { ok: false, error_code: status, description },
});

/** The words are those of the Bot API server (https://github.com/tdlib/telegram-bot-api). */
const conflicts = {
  webhook:
    "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
  other: 'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
};

/** One bot as Telegram has it: what it is told of waits until it is fetched, or is posted to its webhook until that takes it. */
export class BotDouble {
  readonly me: { id: number; is_bot: true; first_name: string; username: string };
  isRevoked = false;
  webhook: Webhook | undefined;
  lastErrorMessage: string | undefined;
  /** By method, how often it was called. */
  readonly calls: Record<string, number> = {};
  #pending: { update_id: number }[] = [];
  #nextUpdateId = 100_000;
  #poll: AbortController | undefined;

  constructor(id: number) {
    this.me = { id, is_bot: true, first_name: `Bot ${id}`, username: `bot_${id}` };
  }

  get pending(): number {
    return this.#pending.length;
  }

  /** Tells the bot of something; `asIs`: with its own id, which may have come before. */
  tell(update: Record<string, unknown>, asIs = false): number {
    const id = asIs ? Number(update['update_id']) : this.#nextUpdateId;
    if (!asIs) this.#nextUpdateId += 1;
    this.#pending.push({ ...update, update_id: id });
    this.#poll?.abort('news');
    return id;
  }

  /** Posts what waits to the webhook, whose host the test system's address stands for. Returns the statuses it answered with. */
  async post(baseUrl: string): Promise<number[]> {
    const statuses: number[] = [];
    for (const update of [...this.#pending]) {
      if (!this.webhook) break;
      const { statusCode, body } = await request(`${baseUrl}${new URL(this.webhook.url).pathname}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': this.webhook.secretToken },
        body: JSON.stringify(update),
      });
      await body.dump();
      statuses.push(statusCode);
      if (statusCode === 200) this.#pending = this.#pending.filter((one) => one !== update);
      else this.lastErrorMessage = `Wrong response from the webhook: ${statusCode}`;
    }
    return statuses;
  }

  /** Undefined for what is answered elsewhere. */
  async answer(method: string, parameters: Record<string, unknown>): Promise<Answer | undefined> {
    this.calls[method] = (this.calls[method] ?? 0) + 1;
    if (this.isRevoked) return refused(401, 'Unauthorized');
    switch (method) {
      case 'getMe':
        return done(this.me);
      case 'setWebhook':
        return this.#setWebhook(parameters);
      case 'deleteWebhook':
        this.webhook = undefined;
        return done(true);
      case 'getWebhookInfo':
        return done(this.#info());
      case 'getUpdates':
        return this.#getUpdates(parameters);
      default:
        return undefined;
    }
  }

  #setWebhook({
    url,
    secret_token: secretToken,
    allowed_updates: allowed,
    max_connections: most,
  }: Record<string, unknown>) {
    if (!String(url).startsWith('https://'))
      return refused(400, 'Bad Request: bad webhook: An HTTPS URL must be provided for webhook');
    this.webhook = {
      url: String(url),
      secretToken: String(secretToken),
      allowedUpdates: allowed as string[],
      maxConnections: Number(most),
    };
    return done(true);
  }

  #info() {
    if (!this.webhook) return { url: '', has_custom_certificate: false, pending_update_count: this.pending };
    return {
      url: this.webhook.url,
      has_custom_certificate: false,
      pending_update_count: this.pending,
      max_connections: this.webhook.maxConnections,
      allowed_updates: this.webhook.allowedUpdates,
      ...(this.lastErrorMessage !== undefined && { last_error_date: 1, last_error_message: this.lastErrorMessage }),
    };
  }

  /** What is below the offset is confirmed, and forgotten. */
  async #getUpdates({ offset = 0, timeout = 0, limit = 100 }: Record<string, unknown>): Promise<Answer> {
    if (this.webhook) return refused(409, conflicts.webhook);
    this.#poll?.abort('other');
    this.#pending = this.#pending.filter(({ update_id: id }) => id >= Number(offset));
    if (this.#pending.length === 0 && Number(timeout) > 0) {
      const poll = new AbortController();
      this.#poll = poll;
      await sleep(Number(timeout) * 1000, undefined, { signal: poll.signal, ref: false }).catch(() => {});
      if (poll.signal.reason === 'other') return refused(409, conflicts.other);
      if (this.#poll === poll) this.#poll = undefined;
    }
    return done(this.#pending.slice(0, Number(limit)));
  }
}
