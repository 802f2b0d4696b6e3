import * as v from 'valibot';
import { dayMs, epochSeconds } from '#lib/core/clock.ts';
import { id } from '#lib/core/schema.ts';
import { entity } from '#lib/table/entity.ts';

/** A username may pass to another person, so what it meant is soon forgotten. */
const usernameKeptMs = dayMs;

/** How Telegram calls somebody towards one of our user accounts. The key to a person is different for each account. */
export const Peers = entity({
  name: 'peer',
  schema: v.object({
    accountId: id(),
    /** The id, or `@username`. */
    name: v.string(),
    userId: v.number(),
    accessHash: v.string(),
    createdAt: v.string(),
    /** Last message up to which the person's messages are to be marked as read at Telegram. */
    readUpTo: v.optional(v.nullable(v.string()), null),
  }),
  within: 'account/{accountId}/peer',
  sortKey: ({ name }) => name,
  indexes: {
    toRead: {
      of: ({ accountId, readUpTo }) => readUpTo !== null && { accountId },
      at: 'account/{accountId}/to-read',
      order: ({ name }) => name,
    },
  },
  expiresAtSeconds: ({ name, createdAt }) =>
    name.startsWith('@') ? epochSeconds(new Date(new Date(createdAt).getTime() + usernameKeptMs)) : undefined,
});
