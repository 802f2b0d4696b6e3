import * as v from 'valibot';
import { idOn } from '#lib/core/channel.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { twitter } from '#lib/core/twitter-channel.ts';
import type { StoredJob } from '#lib/entities/job.ts';
import { PlatformMessageId } from '#lib/entities/message.ts';
import { notLookedUp, unanswered } from '#lib/messages/jobs/outcomes.ts';
import { sandboxSender } from '#lib/messages/jobs/sandbox.ts';
import type { OpenSender, Outcome } from '#lib/messages/jobs/sender.ts';
import { contactOf } from '#lib/messages/recipient.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { openTwitterApi, outcomeOf, type TwitterApi } from './api.ts';

/** The way out of an X account: direct messages of the X API. Needs the key, in both directions. */
export const openTwitter: OpenSender = async (tenant, account) => {
  if (tenant.env === 'test') return sandboxSender;
  const api = await openTwitterApi(tenant, account);
  return {
    maxRepeats: 0,
    secret: () => api.account.secret,
    async send(job) {
      const participant = await participantOf(tenant, api, job).catch(notLookedUp);
      if (typeof participant !== 'string') return participant;
      const path = `/2/dm_conversations/with/${participant}/messages`;
      const exchange = await api.request('POST', path, { text: job.text });
      if ('outcome' in exchange) return exchange.outcome;
      if ('error' in exchange) return unanswered(exchange);
      const outcome = outcomeOf(exchange);
      if (outcome.kind !== 'sent' || !v.is(Sent, exchange.body)) return outcome;
      return { ...outcome, atPlatform: { userId: participant, messageId: exchange.body.data.dm_event_id } };
    },
    close: () => api.close(),
  };
};

const Sent = v.object({ data: v.object({ dm_event_id: PlatformMessageId }) });

const User = v.object({ data: v.object({ id: twitter.identity.received }) });

/** The id of the recipient: from the send, from the contact who has written, else looked up by username. */
async function participantOf(tenant: Tenant, api: TwitterApi, job: StoredJob): Promise<string | Outcome> {
  const { target } = job;
  if (target.twitterUserId !== undefined) return target.twitterUserId;
  const tx = new UnitOfWork(tenant, system);
  const contact = await contactOf(tx, twitter.name, job);
  const known = contact && idOn(twitter, contact.identities);
  if (known !== undefined) return known;
  const exchange = await api.request('GET', `/2/users/by/username/${encodeURIComponent(target.username ?? '')}`);
  if ('outcome' in exchange) return exchange.outcome;
  if ('error' in exchange) return { kind: 'failed-for-now', error: `no answer to the look-up (${exchange.error})` };
  if (v.is(User, exchange.body)) return exchange.body.data.id;
  const outcome = outcomeOf(exchange);
  if (outcome.kind === 'sent' && exchange.body === undefined)
    return { kind: 'failed-for-now', error: 'the answer to the look-up cannot be read' };
  return outcome.kind === 'sent' ? { kind: 'failed', error: 'X knows no user of this name' } : outcome;
}
