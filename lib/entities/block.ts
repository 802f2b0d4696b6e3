import * as v from 'valibot';
import { id, time } from '#lib/core/schema.ts';
import { entity } from '#lib/table/entity.ts';

/** Block of an account by a person, or its end. */
export const Blocks = entity({
  name: 'block',
  schema: v.object({
    accountId: id(),
    /** At the platform. */
    userId: v.string(),
    /** Null once it is lifted. */
    blockedAt: v.nullable(time()),
    /** When the platform says that happened: what is older is no news. */
    since: time(),
    /** The platform's number of that news: which of two of one second is the later one. */
    updateId: v.optional(v.number()),
  }),
  within: 'account/{accountId}/block',
  sortKey: ({ userId }) => userId,
  references: [{ to: 'account', field: 'accountId' }],
});

export type Block = v.InferOutput<(typeof Blocks)['schema']>;
