import * as v from 'valibot';
import { platforms } from '#lib/core/channel.ts';
import { id, storedChoice, time } from '#lib/core/schema.ts';
import { entity } from '#lib/table/entity.ts';

/** Identity of a contact: its id on a channel, or its username there. */
export const ContactIdentity = v.pipe(
  v.object({ channel: storedChoice(platforms), userId: v.nullable(v.string()), username: v.nullable(v.string()) }),
  v.title('ContactIdentity'),
);

/**
 * Contact of a sender on a platform. One row per sender, so that two first messages make one contact and a merged one
 * is still known. One row per username, so that one of two senders who show it has it.
 */
export const Identities = entity({
  name: 'identity',
  schema: v.object({
    id: id(),
    sender: v.string(),
    contactId: id(),
    /**
     * Username that the platform last reported, and when; null if there is none, or if it belongs to another sender.
     */
    told: v.optional(v.object({ username: v.nullable(v.string()), at: time() })),
    /** Sender to whom a username last passed, and when. The sender has it while `told` of the sender names it. */
    held: v.optional(v.object({ by: v.string(), at: time() })),
  }),
  references: [{ to: 'contact', field: 'contactId', isOwned: true }],
  sortKey: ({ sender }) => sender,
  indexes: { contact: ({ contactId }) => contactId },
});

export type Identity = v.InferOutput<(typeof Identities)['schema']>;

/** Returns the parts of an identity: of `telegram/4711`, or of `telegram/@anna` for a username. */
export function toIdentityView({ sender, told }: Identity) {
  const slash = sender.indexOf('/');
  const [channel, known] = [sender.slice(0, slash), sender.slice(slash + 1)];
  return known.startsWith('@')
    ? { channel, userId: null, username: known.slice(1) }
    : { channel, userId: known, username: told?.username ?? null };
}
