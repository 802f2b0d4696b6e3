import * as v from 'valibot';
import { id, time } from '#lib/schema.ts';
import { entity } from '#lib/table/entity.ts';

/**
 * Whom a sender on a platform is known as. One row per sender, so that two first messages at once make one contact,
 * and a merged one is still known; one per username, so that of two who show it at once one has it.
 */
export const Identities = entity({
  name: 'identity',
  schema: v.object({
    id: id(),
    sender: v.string(),
    contactId: id(),
    /** What the platform told last of the username, and when: null that there is none, or that it is another's. */
    told: v.optional(v.object({ username: v.nullable(v.string()), at: time() })),
    /** Of a username: which sender was the last one that it passed to, and when. Theirs it is while that is what is `told` of them. */
    held: v.optional(v.object({ by: v.string(), at: time() })),
  }),
  references: [{ to: 'contact', field: 'contactId', isOwned: true }],
  sortKey: ({ sender }) => sender,
  indexes: { contact: ({ contactId }) => contactId },
});

export type Identity = v.InferOutput<(typeof Identities)['schema']>;
