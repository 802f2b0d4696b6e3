import * as v from 'valibot';
import { unlessUnreadable } from '#lib/aws/secrets.ts';
import { isSuccess, openTwitterApi, outcomeOf, type TwitterApi, userIn } from '#lib/channels/twitter/api.ts';
import { now } from '#lib/core/clock.ts';
import { env } from '#lib/core/env.ts';
import { log } from '#lib/core/log.ts';
import { Problem } from '#lib/core/problem.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { twitter } from '#lib/core/twitter-channel.ts';
import { Accounts } from '#lib/entities/account.ts';
import type { EventsKnown, StoredInbound } from '#lib/entities/inbound.ts';
import { PlatformMessageId } from '#lib/entities/message.ts';
import { claimHolder } from '#lib/messages/accounts/store.ts';
import type { Outcome } from '#lib/messages/jobs/sender.ts';
import type { Answered } from '#lib/network/provider.ts';
import { transact } from '#lib/table/transact.ts';
import { type Due, fail, keep, keepHearing } from './due-account.ts';
import { take } from './take.ts';
import { type Included, includedIn, receiveEvent, wanted } from './twitter-event.ts';
import { advance, begunAt, isKnown, isSettled } from './twitter-known.ts';

/** Limit for a page, whose texts may have 10,000 characters, each of them escaped. */
const maxResponseBytes = 16 * 1024 * 1024;
/** X charges for each event: few are asked for first, as many as it has on a page where all of them are new. */
const fewEvents = 10;
/** Fewer are asked for where nobody can read so many. */
const pageSizes = [100, fewEvents, 1];
/** Number of new events stored in one turn, the oldest first. */
const maxHeld = 1000;
/** Number of events after which the known ones are written. */
const maxUnkept = 20;
/** When there is more to do. */
const soonSeconds = 1;

/** X has refused something, or not answered: the account fails, and not we. `from`: the page that was asked for. */
class Unanswered extends Error {
  readonly outcome: Outcome;
  readonly from: string | null;

  constructor(outcome: Outcome, from: string | null = null) {
    super('no answer from X');
    this.outcome = outcome;
    this.from = from;
  }
}

/** Asks X for the direct messages that are new, and stores them, the oldest first. What is known moves only after they are stored. */
export async function pollTwitter(tenant: Tenant, due: Due, deadlineMs: number): Promise<void> {
  const lost = 'X takes the tokens of this account no longer: connect it again';
  const api = await unlessUnreadable(openTwitterApi(tenant, due.account, { maxResponseBytes }));
  if (!api) return fail(tenant, due, { kind: 'lost', state: 'disconnected' }, { lost });
  try {
    await ask(tenant, due.inbound, api, deadlineMs);
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
    const { events } = due.inbound;
    const reached = events && error.from !== null ? { events: { ...events, from: error.from } } : {};
    await fail(tenant, { ...due, account: api.account }, error.outcome, { lost, reached });
  } finally {
    await api.close();
  }
}

async function ask(tenant: Tenant, inbound: StoredInbound, api: TwitterApi, deadlineMs: number): Promise<void> {
  // Its tokens may have been renewed.
  const due = (): Due => ({ account: api.account, inbound });
  const usual = env('TWITTER_POLL_SECONDS');
  const ownId = await ownIdOf(tenant, api);
  const { events: known } = inbound;
  if (known === null) {
    const { events } = await pageOf(api, null);
    const begun = { ...begunAt(events.map(({ id }) => id)), from: null };
    await keepHearing(tenant, due(), { events: begun }, usual);
    return;
  }
  const { events, from, isAll } = await newEvents(api, known, deadlineMs);
  const place = { channel: twitter.name, accountId: api.account.id };
  let reached: EventsKnown = { ...known, from };
  let stored = 0;
  while (stored < events.length) {
    const portion = events.slice(stored, stored + maxUnkept);
    for (const told of portion) await take(tenant, place, (tx) => receiveEvent(tx, { ...place, ownId }, told));
    stored += portion.length;
    reached = {
      ...advance(
        reached,
        portion.map(({ id }) => id),
      ),
      from,
    };
    if (now() > deadlineMs) break;
    if (!(await keep(tenant, due(), (now) => ({ ...now, events: reached })))) return;
  }
  const isDone = isAll && stored === events.length;
  await keepHearing(tenant, due(), { events: reached }, isDone ? usual : soonSeconds);
}

/** Returns the user ID of the account at X, and asks X for it if an operator has connected the account. */
async function ownIdOf(tenant: Tenant, api: TwitterApi): Promise<string> {
  const { id, platformUserId: known } = api.account;
  if (known !== undefined) return known;
  const me = userIn(answered(await api.request('GET', '/2/users/me')));
  if (!me) throw new Unanswered(unreadable);
  const { id: platformUserId } = me;
  await transact(tenant, system, async (tx) => {
    const account = await tx.get(Accounts, { id });
    if (account.platformUserId !== undefined) return;
    await claimHolder(tx, twitter.name, platformUserId, id);
    tx.update(Accounts, { ...account, platformUserId });
  }).catch((error) => {
    if (!(error instanceof Problem) || error.status !== 409) throw error;
    throw new Unanswered({ kind: 'failed', error: 'another account of this environment is of the same user of X' });
  });
  return platformUserId;
}

interface Event extends Included {
  id: string;
  event: unknown;
}

/**
 * The new events, the oldest first. `from`: there are older ones, at that page, and none is told of before they are known. `isAll`: there
 * are no newer ones.
 */
async function newEvents(
  api: TwitterApi,
  known: EventsKnown,
  deadlineMs: number,
): Promise<{ events: Event[]; from: string | null; isAll: boolean }> {
  const searchUntilMs = now() + (deadlineMs - now()) / 2;
  let found: Event[] = [];
  let isAll = known.from === null;
  const seen = new Set<string | null>();
  for (let from = known.from; ; ) {
    const page = await pageOf(api, from).catch((error) => {
      // X knows a page for a while only.
      if (from === null || from !== known.from || !(error instanceof Unanswered) || error.outcome.kind !== 'failed')
        throw error;
      return pageOf(api, null);
    });
    seen.add(from);
    found.push(...page.events.filter(({ id }) => !isKnown(known, id)));
    if (found.length > 2 * maxHeld) {
      found = oldestOf(found);
      isAll = false;
    }
    // X may go round in circles.
    if (page.next === null || seen.has(page.next) || page.events.some(({ id }) => isSettled(known, id))) break;
    from = page.next;
    if (now() > searchUntilMs) return { events: [], from, isAll: false };
  }
  const events = oldestOf(found);
  return { events, from: null, isAll: isAll && events.length < maxHeld };
}

/** Each once. */
const oldestOf = (events: readonly Event[]): Event[] =>
  [...new Map(events.map((event) => [event.id, event])).values()]
    .sort((one, other) => (BigInt(one.id) < BigInt(other.id) ? -1 : 1))
    .slice(0, maxHeld);

const Page = v.object({
  data: v.optional(v.array(v.unknown()), []),
  includes: v.optional(
    v.object({ users: v.optional(v.array(v.unknown())), media: v.optional(v.array(v.unknown())) }),
    {},
  ),
  meta: v.optional(v.object({ next_token: v.optional(v.pipe(v.string(), v.maxLength(1000))) }), {}),
});

const Identified = v.object({ id: PlatformMessageId });

const unreadable: Outcome = { kind: 'failed', error: 'X’s answer cannot be read' };

/** A page of what X has of the last 30 days, about the newest first; null is the first page. */
async function pageOf(api: TwitterApi, from: string | null): Promise<{ events: Event[]; next: string | null }> {
  for (const size of from === null ? pageSizes.slice(1) : pageSizes) {
    const query = new URLSearchParams({
      ...wanted,
      event_types: 'MessageCreate',
      max_results: String(size),
      ...(from !== null && { pagination_token: from }),
    });
    const exchange = await api.request('GET', `/2/dm_events?${query}`);
    if ('error' in exchange && exchange.error === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') continue;
    const { body } = answered(exchange, from);
    if (body === undefined) continue;
    const page = v.safeParse(Page, body);
    if (!page.success) break;
    const { data, includes, meta } = page.output;
    const included = includedIn(includes);
    const events = data.flatMap((event) => (v.is(Identified, event) ? [{ id: event.id, event, ...included }] : []));
    if (events.length < data.length)
      log().warn('X tells of events without an id', { events: data.length - events.length });
    return { events, next: meta.next_token ?? null };
  }
  throw new Unanswered(unreadable, from);
}

function answered(exchange: Awaited<ReturnType<TwitterApi['request']>>, from: string | null = null): Answered {
  if ('outcome' in exchange) throw new Unanswered(exchange.outcome, from);
  if ('error' in exchange)
    throw new Unanswered({ kind: 'failed-for-now', error: `no answer from X (${exchange.error})` }, from);
  if (!isSuccess(exchange)) throw new Unanswered(outcomeOf(exchange), from);
  return exchange;
}
