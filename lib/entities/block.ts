import * as v from 'valibot';
import { id, time } from '#lib/schema.ts';
import { entity } from '#lib/table/entity.ts';

/** Somebody who wants to hear nothing more from an account, or wants to again. */
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
  }),
  within: 'account/{accountId}/block',
  sortKey: ({ userId }) => userId,
  references: [{ to: 'account', field: 'accountId' }],
});
