import * as v from 'valibot';
import { accountSecret } from '#lib/accounts/store.ts';
import { idOn } from '#lib/channels/identities.ts';
import type { StoredJob } from '#lib/entities/job.ts';
import { env } from '#lib/env.ts';
import { notLookedUp, unanswered, waitFor } from '#lib/jobs/outcomes.ts';
import { sandboxSender } from '#lib/jobs/sandbox.ts';
import type { OpenSender, Outcome } from '#lib/jobs/sender.ts';
import { contactOf } from '#lib/messages/recipient.ts';
import { type Answered, openProvider, type Provider } from '#lib/network/provider.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { system, type Tenant } from '#lib/tenant.ts';
import { twitter } from './channel.ts';

const defaultWaitSeconds = 15 * 60;

/** The way out of an X account: direct messages of the X API. Needs the key. */
export const openTwitter: OpenSender = async (tenant, account) => {
  if (tenant.env === 'test') return sandboxSender;
  const headers = { authorization: `Bearer ${await accountSecret(tenant, account)}` };
  const provider = openProvider(env('TWITTER_API_ROOT'));
  return {
    policy: twitter.kinds.user.pacing,
    maxRepeats: 0,
    async send(job) {
      const participant = await participantOf(tenant, provider, headers, job).catch(notLookedUp);
      if (typeof participant !== 'string') return participant;
      const path = `/2/dm_conversations/with/${participant}/messages`;
      const exchange = await provider.request('POST', path, headers, { text: job.text });
      return 'error' in exchange ? unanswered(exchange) : outcomeOf(exchange);
    },
    close: () => provider.close(),
  };
};

const Reason = v.object({ detail: v.optional(v.string()), title: v.optional(v.string()) });

function outcomeOf({ status, headers, body }: Answered): Outcome {
  const { detail, title } = v.is(Reason, body) ? body : {};
  const error = `X answered ${status}: ${detail ?? title ?? 'no reason given'}`;
  if (status >= 200 && status < 300) return { kind: 'sent' };
  if (status === 401) return { kind: 'lost', state: 'disconnected' };
  if (status === 429) return waitFor(secondsUntil(headers['x-rate-limit-reset']));
  return status >= 500 ? { kind: 'failed-for-now', error } : { kind: 'failed', error };
}

function secondsUntil(reset: string | string[] | undefined): number {
  const seconds = Number(reset) - Date.now() / 1000;
  return Number.isFinite(seconds) ? seconds : defaultWaitSeconds;
}

const User = v.object({ data: v.object({ id: twitter.identity.received }) });

/** The id of the recipient: from the send, from the contact who has written, else looked up by username. */
async function participantOf(
  tenant: Tenant,
  provider: Provider,
  headers: Record<string, string>,
  job: StoredJob,
): Promise<string | Outcome> {
  const { target } = job;
  if (target.twitterUserId !== undefined) return target.twitterUserId;
  const tx = new UnitOfWork(tenant, system);
  const contact = await contactOf(tx, twitter.name, job);
  const known = contact && idOn(twitter, contact.identities);
  if (known !== undefined) return known;
  const path = `/2/users/by/username/${encodeURIComponent(target.username ?? '')}`;
  const exchange = await provider.request('GET', path, headers);
  if ('error' in exchange) return { kind: 'failed-for-now', error: `no answer to the look-up (${exchange.error})` };
  if (v.is(User, exchange.body)) return exchange.body.data.id;
  const outcome = outcomeOf(exchange);
  if (outcome.kind === 'sent' && exchange.body === undefined)
    return { kind: 'failed-for-now', error: 'the answer to the look-up cannot be read' };
  return outcome.kind === 'sent' ? { kind: 'failed', error: 'X knows no user of this name' } : outcome;
}
