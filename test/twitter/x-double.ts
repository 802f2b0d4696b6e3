import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { now } from '#lib/core/clock.ts';

interface Answer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

export interface XPerson {
  id: string;
  name?: string;
  username?: string;
}

/** A direct message as a test has it written. */
export interface XWritten {
  /** Who writes to the account, or whom it writes to from elsewhere. */
  from?: XPerson;
  to?: XPerson;
  text: string;
  id?: string;
  media?: { type: string; url?: string; preview_image_url?: string }[];
  /** Not between two: in the conversation of a group. */
  group?: string;
  /** Whatever else X says of it, or instead. */
  as?: Record<string, unknown>;
}

/** What a test has X do with an account. */
export interface XCommand {
  /** The app that the account has let in. */
  oauth?: { refreshToken: string; clientId: string; clientSecret?: string };
  /** An access token of another login. */
  issue?: string;
  /** The two hours of its access token are over. */
  expire?: boolean;
  write?: XWritten[];
  /** 429 for what asks for messages, until then. */
  limitedUntil?: number;
  /** 429 after so many pages, until somebody says otherwise. */
  pagesLeft?: number;
  /** How many events X has on a page, whatever is asked for. */
  pageSize?: number;
  /** Pages are in no order, and begin with what the one before ended with. */
  isDisorderly?: boolean;
  /** The last page is followed by the first. */
  isCircular?: boolean;
}

interface XEvent {
  id: string;
  event_type: string;
  text: string;
  sender_id: string;
  dm_conversation_id: string;
  created_at: string;
  attachments?: { media_keys: string[] };
  as: XWritten['as'];
}

/** https://docs.x.com/x-api/fundamentals/response-codes-and-errors */
const problem = (status: number, title: string): Answer => ({
  status,
  body: { title, detail: title, type: 'about:blank', status },
});
const unauthorized = () => problem(401, 'Unauthorized');
/** As X's token endpoint says it (RFC 6749, section 5.2). */
const tokenError = (status: number, error: string, error_description: string): Answer => ({
  status,
  body: { error, error_description },
});

const epochOfIds = 1_288_834_974_657n;
let lastId = 0n;

/** Ids of X rise with time: milliseconds and a counter (https://docs.x.com/fundamentals/x-ids). */
export function newXId(): string {
  const first = (BigInt(now()) - epochOfIds) << 22n;
  lastId = first > lastId ? first : lastId + 1n;
  return String(lastId);
}

const idOrder = (one: { id: string }, other: { id: string }) =>
  BigInt(one.id) < BigInt(other.id) ? 1 : BigInt(one.id) > BigInt(other.id) ? -1 : 0;

/** An account as X has it, with the tokens that it has given out. */
export class XDouble {
  readonly me: Required<XPerson>;
  readonly calls: Record<string, number> = {};
  readonly revoked: string[] = [];
  renewals = 0;
  #oauth: XCommand['oauth'];
  /** When which access token ends. */
  readonly #access = new Map<string, number>();
  readonly #people = new Map<string, XPerson>();
  readonly #media = new Map<string, object>();
  #events: XEvent[] = [];
  #limitedUntil = 0;
  #pagesLeft = Number.POSITIVE_INFINITY;
  #pageSize = 100;
  #isDisorderly = false;
  #isCircular = false;

  constructor(index: number, token: string) {
    const id = String(7_000_000 + index);
    this.me = { id, name: `Person ${id}`, username: `x_${id}` };
    this.#access.set(token, Number.POSITIVE_INFINITY);
  }

  command({ oauth, issue, expire, write = [], limitedUntil, pagesLeft, pageSize, ...as }: XCommand): string[] {
    if (oauth) this.#oauth = oauth;
    if (issue) this.#access.set(issue, Number.POSITIVE_INFINITY);
    if (expire) for (const token of this.#access.keys()) this.#access.set(token, 0);
    if (limitedUntil !== undefined) this.#limitedUntil = limitedUntil;
    if (pagesLeft !== undefined) this.#pagesLeft = pagesLeft;
    if (pageSize !== undefined) this.#pageSize = pageSize;
    if (as.isDisorderly !== undefined) this.#isDisorderly = as.isDisorderly;
    if (as.isCircular !== undefined) this.#isCircular = as.isCircular;
    return write.map((written) => this.write(written));
  }

  /** Returns the id of the event. */
  write({ from, to, text, id = newXId(), media = [], group, as }: XWritten): string {
    const other = (from ?? to) as XPerson;
    this.#people.set(other.id, other);
    const keys = media.map((one, index) => {
      const media_key = `3_${id}${index}`;
      this.#media.set(media_key, { ...one, media_key });
      return media_key;
    });
    this.#events.push({
      id,
      event_type: 'MessageCreate',
      text,
      sender_id: from ? from.id : this.me.id,
      dm_conversation_id: group ?? [other.id, this.me.id].toSorted().join('-'),
      created_at: new Date(now()).toISOString(),
      ...(keys.length > 0 && { attachments: { media_keys: keys } }),
      as,
    });
    return id;
  }

  isGood(token: string): boolean {
    return (this.#access.get(token) ?? 0) > now();
  }

  hasIssued(token: string | undefined): boolean {
    return token !== undefined && this.#oauth?.refreshToken === token;
  }

  /** `token`: the bearer's. Undefined for what is answered elsewhere. */
  answer(token: string, path: string, query: URLSearchParams): Answer | undefined {
    this.calls[path] = (this.calls[path] ?? 0) + 1;
    if (!this.isGood(token)) return unauthorized();
    if (path === 'users/me') return { status: 200, body: { data: this.me } };
    if (path === 'dm_events') return this.#dmEvents(query);
    return undefined;
  }

  #dmEvents(query: URLSearchParams): Answer {
    const limit = { 'x-rate-limit-limit': '15', 'x-rate-limit-reset': String(this.#limitedUntil) };
    this.#pagesLeft -= 1;
    if (this.#limitedUntil > now() / 1000 || this.#pagesLeft < 0)
      return { ...problem(429, 'Too Many Requests'), headers: { ...limit, 'x-rate-limit-remaining': '0' } };
    const page = query.get('pagination_token');
    const before = page === null ? undefined : /^before([0-9]+)$/.exec(page)?.[1];
    if (page !== null && before === undefined)
      return {
        status: 400,
        body: {
          errors: [{ message: `The \`pagination_token\` query parameter value [${page}] is not valid` }],
          title: 'Invalid Request',
          detail: 'One or more parameters to your request was invalid.',
          type: 'https://api.twitter.com/2/problems/invalid-request',
        },
      };
    const size = Math.min(this.#pageSize, Number(query.get('max_results') ?? 100));
    const left = this.#events.toSorted(idOrder).filter(({ id }) => before === undefined || BigInt(id) < BigInt(before));
    const events = left.slice(0, size);
    const last = events.at(-1);
    const isMore = left.length > events.length;
    const following = isMore ? last?.id : this.#isCircular && newXId();
    const again = this.#isDisorderly ? this.#events.filter(({ id }) => id === before) : [];
    const shown = this.#isDisorderly ? [...events.toReversed(), ...again] : events;
    const fields = (query.get('dm_event.fields') ?? 'id,text,event_type').split(',');
    const expansions = (query.get('expansions') ?? '').split(',');
    this.calls['events'] = (this.calls['events'] ?? 0) + shown.length;
    const senders = new Set(shown.map(({ sender_id }) => sender_id));
    return {
      status: 200,
      body: {
        data: shown.map(({ as, ...event }) =>
          Object.fromEntries(Object.entries({ ...event, ...as }).filter(([name]) => fields.includes(name))),
        ),
        includes: {
          ...(expansions.includes('sender_id') && {
            users: [...this.#people.values(), this.me].filter(({ id }) => senders.has(id)),
          }),
          ...(expansions.includes('attachments.media_keys') && {
            media: shown.flatMap(({ attachments }) =>
              (attachments?.media_keys ?? []).map((key) => this.#media.get(key)),
            ),
          }),
        },
        meta: { result_count: shown.length, ...(following && { next_token: `before${following}` }) },
      },
    };
  }

  /** A refresh token is good once (https://docs.x.com/fundamentals/authentication/oauth-2-0/authorization-code). */
  renew(form: URLSearchParams, authorization: string | undefined): { answer: Answer; token?: string } {
    const oauth = this.#oauth as NonNullable<XCommand['oauth']>;
    const refused = this.#refusedClient(form, authorization);
    if (refused) return { answer: refused };
    const [token, refreshToken] = [randomUUID(), randomUUID()];
    this.#oauth = { ...oauth, refreshToken };
    for (const known of this.#access.keys()) this.#access.set(known, 0);
    this.#access.set(token, now() + 7_200_000);
    this.renewals += 1;
    const scope = 'dm.read dm.write tweet.read users.read offline.access';
    const body = { token_type: 'bearer', expires_in: 7200, access_token: token, scope, refresh_token: refreshToken };
    return { answer: { status: 200, body }, token };
  }

  #refusedClient(form: URLSearchParams, authorization: string | undefined): Answer | undefined {
    const { clientId, clientSecret } = this.#oauth ?? {};
    const proof = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
    if (clientSecret !== undefined && authorization !== proof)
      return tokenError(401, 'unauthorized_client', 'Missing valid authorization header');
    if (form.get('client_id') === null)
      return tokenError(400, 'invalid_request', 'Missing required parameter [client_id].');
    return form.get('client_id') === clientId
      ? undefined
      : tokenError(400, 'invalid_request', 'Value passed for the token was invalid.');
  }

  revoke(form: URLSearchParams, authorization: string | undefined): Answer {
    const refused = this.#refusedClient(form, authorization);
    if (refused) return refused;
    const token = form.get('token') as string;
    this.revoked.push(token);
    this.#access.delete(token);
    if (this.hasIssued(token)) this.#oauth = { ...(this.#oauth as NonNullable<XCommand['oauth']>), refreshToken: '' };
    return { status: 200, body: { revoked: true } };
  }
}

/** What X says of a refresh token that is spent, or that it has never given out. */
export const spent = (): Answer => tokenError(400, 'invalid_request', 'Value passed for the token was invalid.');

/** A form, or undefined where the body is none. */
export const formOf = async (request: IncomingMessage): Promise<URLSearchParams | undefined> =>
  request.headers['content-type'] === 'application/x-www-form-urlencoded'
    ? new URLSearchParams(await textOf(request))
    : undefined;
