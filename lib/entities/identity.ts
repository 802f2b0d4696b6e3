import * as v from 'valibot';
import { id } from '#lib/schema.ts';
import { entity } from '#lib/table/entity.ts';

/** Who has written: one row per sender, so that two first messages at once make one contact, and a merged one is still known. */
export const Identities = entity({
  name: 'identity',
  schema: v.object({ id: id(), sender: v.string(), contactId: id() }),
  references: [{ to: 'contact', field: 'contactId' }],
  sortKey: ({ sender }) => sender,
  indexes: { contact: ({ contactId }) => contactId },
});

export type Identity = v.InferOutput<(typeof Identities)['schema']>;
