import * as v from 'valibot';
import type { Platform } from '#lib/core/channel.ts';
import { id } from '#lib/core/schema.ts';
import type { OpenSender } from '#lib/messages/jobs/sender.ts';
import { type Message, receiveGroups } from '#lib/queues/receive.ts';
import { drainAccount } from './drain.ts';

/** Fields of a timer: the account, and the job if one became due. */
const signal = { accountId: id(), jobId: v.optional(id()) };

/** Handles a batch of timers, account by account side by side. Returns those that failed through a fault of ours. */
export const handleSignals = (messages: readonly Message[], channel: Platform, open: OpenSender): Promise<Message[]> =>
  receiveGroups(
    messages,
    signal,
    ({ accountId }) => accountId,
    async (signals) => {
      const [{ tenant, accountId }] = signals;
      const jobIds = signals.flatMap(({ jobId }) => (jobId === undefined ? [] : [jobId]));
      await drainAccount({ tenant, channel, accountId }, jobIds, open);
      return [];
    },
  );
