import * as v from 'valibot';
import { platforms } from '#lib/core/channel.ts';
import { id, storedChoice } from '#lib/core/schema.ts';
import { tenantKey } from '#lib/core/tenant.ts';
import { entity } from '#lib/table/entity.ts';

/** Limit of recipients in a sender's row, at any pace: each lease writes the whole row. */
export const maxPeers = 500;
export const maxSends = 1000;

/**
 * Recent sends, so that the next sender keeps the pace: times in epoch milliseconds, by recipient and of the last
 * minute.
 */
const Pace = v.object({
  peers: v.record(v.string(), v.number()),
  sends: v.array(v.number()),
});
export type Pace = v.InferOutput<typeof Pace>;

/**
 * Lease of an account, with the pace at which it sends. Two connections at once would end a Telegram session for ever.
 */
export const Senders = entity({
  name: 'sender',
  schema: v.object({
    /** Id of the account. */
    id: id(),
    channel: storedChoice(platforms),
    owner: v.string(),
    leaseUntilMs: v.number(),
    /** Only senders may take it until then; the one that has it wrote the end of its lease. */
    sendersUntilMs: v.exactOptional(v.number()),
    pace: v.optional(Pace, { peers: {}, sends: [] }),
    /** When the queue must be looked at again although no job says so. */
    resumeAt: v.optional(v.nullable(v.string()), null),
    /** While somebody held it the account was changed, or a sender wanted it that found it used for something else. */
    isChanged: v.exactOptional(v.boolean()),
  }),
  timer: ({ id, channel, resumeAt }, tenant) =>
    resumeAt === null
      ? null
      : { at: resumeAt, queue: channel, message: { accountId: id }, group: `${tenantKey(tenant)}/${channel}/${id}` },
});
