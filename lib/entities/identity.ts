import * as v from 'valibot';
import { platforms } from '#lib/core/channel.ts';
import { id, storedChoice, time } from '#lib/core/schema.ts';
import { entity } from '#lib/table/entity.ts';

/** Whom the deployment knows as a contact: by the id on a channel, or by a username there. */
export const ContactIdentity = v.pipe(
  v.object({ channel: storedChoice(platforms), userId: v.nullable(v.string()), username: v.nullable(v.string()) }),
  v.title('ContactIdentity'),
);

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

/** What an identity says: `telegram/4711`, or `telegram/@anna` of a username. */
export function shownIdentity({ sender, told }: Identity) {
  const slash = sender.indexOf('/');
  const [channel, known] = [sender.slice(0, slash), sender.slice(slash + 1)];
  return known.startsWith('@')
    ? { channel, userId: null, username: known.slice(1) }
    : { channel, userId: known, username: told?.username ?? null };
}
