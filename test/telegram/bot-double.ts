import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
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

/** A file that somebody has sent a bot: its bytes in base64, or so many of one letter. */
export interface FileAtTelegram {
  path: string;
  base64?: string;
  sizeBytes?: number;
  /** How often the connection breaks in the middle. */
  breaks?: number;
  /** The second half comes never. */
  hangs?: boolean;
}

/** A file that a bot has sent. */
export interface SentFile {
  field: string;
  fileName: string;
  contentType: string;
  sizeBytes: number;
  sha256: string;
}

/** The fields and files of a `multipart/form-data` request. */
export async function received(
  request: IncomingMessage,
): Promise<{ fields: Record<string, string>; files: SentFile[] }> {
  const form = await new Response(Readable.toWeb(request) as ReadableStream, {
    headers: { 'content-type': String(request.headers['content-type']) },
  }).formData();
  const fields: Record<string, string> = {};
  const files: SentFile[] = [];
  for (const [field, value] of form) {
    if (typeof value === 'string') fields[field] = value;
    else {
      const bytes = Buffer.from(await value.arrayBuffer());
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      files.push({ field, fileName: value.name, contentType: value.type, sizeBytes: bytes.length, sha256 });
    }
  }
  return { fields, files };
}

const maxDownloadBytes = 20 * 1024 * 1024;
const maxCaptionCharacters = 1024;
const maxPhotoBytes = 10 * 1024 * 1024;

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
  /** What people have sent it, by file id. */
  readonly files = new Map<string, FileAtTelegram>();
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
      const { method } = (await body.json().catch(() => ({}))) as { method?: string };
      if (method !== undefined) this.calls[method] = (this.calls[method] ?? 0) + 1;
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
      case 'answerCallbackQuery':
        return done(true);
      case 'getFile':
        return this.#getFile(String(parameters['file_id']));
      default:
        return undefined;
    }
  }

  #getFile(id: string): Answer {
    const file = this.files.get(id);
    if (!file) return refused(400, 'Bad Request: wrong file_id or the file is temporarily unavailable');
    const size = sizeOf(file);
    if (size > maxDownloadBytes) return refused(400, 'Bad Request: file is too big');
    return done({ file_id: id, file_unique_id: id, file_size: size, file_path: file.path });
  }

  /** What `getFile` has said the path of. */
  async serve(path: string, response: ServerResponse): Promise<void> {
    this.calls['download'] = (this.calls['download'] ?? 0) + 1;
    const file = [...this.files.values()].find((one) => one.path === decodeURIComponent(path));
    if (this.isRevoked || !file) {
      response.writeHead(404).end();
      return;
    }
    const size = sizeOf(file);
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': size });
    const bytes = file.base64 === undefined ? Buffer.alloc(size, 'x') : Buffer.from(file.base64, 'base64');
    if (file.breaks || file.hangs) {
      response.write(bytes.subarray(0, size / 2));
      if (file.hangs) return;
      file.breaks = (file.breaks ?? 1) - 1;
      await sleep(50);
      response.destroy();
      return;
    }
    response.end(bytes);
  }

  /** Why a call with files is refused. */
  refusal(method: string, fields: Record<string, string>, files: readonly SentFile[]): Answer | undefined {
    this.calls[method] = (this.calls[method] ?? 0) + 1;
    if (this.isRevoked) return refused(401, 'Unauthorized');
    const media = JSON.parse(fields['media'] ?? '[]') as { type: string; media: string; caption?: string }[];
    const captions = [fields['caption'], ...media.map(({ caption }) => caption)];
    if (captions.some((caption = '') => [...caption].length > maxCaptionCharacters))
      return refused(400, 'Bad Request: message caption is too long');
    if (method === 'sendPhoto' && (files[0]?.sizeBytes ?? 0) > maxPhotoBytes)
      return refused(413, 'Request Entity Too Large');
    if (method !== 'sendMediaGroup') return undefined;
    if (media.length < 2 || media.length > 10) return refused(400, 'Bad Request: wrong number of media in the album');
    if (new Set(media.map(({ type }) => type)).size > 1)
      return refused(400, "Bad Request: document can't be mixed with other media types");
    const isWhole = media.every(({ media: named }, index) => named === `attach://${files[index]?.field}`);
    return isWhole ? undefined : refused(400, 'Bad Request: file must be non-empty');
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

const sizeOf = ({ base64, sizeBytes = 0 }: FileAtTelegram) =>
  base64 === undefined ? sizeBytes : Buffer.from(base64, 'base64').length;
