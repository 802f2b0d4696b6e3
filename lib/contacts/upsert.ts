import * as v from 'valibot';
import { epochSeconds } from '#lib/clock.ts';
import { conflict, invalidField } from '#lib/problem.ts';
import { entity } from '#lib/table/entity.ts';
import { listIndexed } from '#lib/table/list.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { Activities } from './activity.ts';
import { Contacts, identityOf, type StoredContact, type UpsertContact } from './contact.ts';
import { changeContact, createContact, type ShownContact } from './store.ts';

const keptSeconds = 60;

/** Two upserts of one value that both find nobody meet here, and the later one looks again. */
const Upserts = entity({
  name: 'upsert',
  schema: v.object({ match: v.string(), contactId: v.number() }),
  sortKey: ({ match }) => match,
  expiresAtSeconds: () => epochSeconds() + keptSeconds,
});

/**
 * Creates the contact, or changes the one that has the same username (on its platform), phone or e-mail. Emits contact.created or
 * contact.updated. Raises 400 without the field to match, 409 when several contacts match.
 */
export async function upsertContact(
  tx: Transaction,
  { matchOn, ...fields }: v.InferOutput<typeof UpsertContact>,
): Promise<{ contact: ShownContact; isNew: boolean }> {
  const value = fields[matchOn];
  if (!value) throw invalidField(matchOn, 'required', `${matchOn} is required because it is matched on`);
  const match = identityOf[matchOn](value);
  const isMatch = (contact: StoredContact) => {
    const own = contact[matchOn];
    if (own === null || identityOf[matchOn](own) !== match) return false;
    return matchOn !== 'username' || contact.platform === fields.platform;
  };
  const upsert = { match: matchOn === 'username' ? `${fields.platform}/${match}` : match };
  const [before, listed] = await Promise.all([
    tx.find(Upserts, upsert),
    listIndexed(tx, Contacts, match),
    tx.reserveIds({ [Contacts.name]: 1, [Activities.name]: Object.keys(fields).length }),
  ]);
  const candidates = new Map([...listed, ...tx.written(Contacts)].map((contact) => [contact.id, contact]));
  // The list may have been read before the row that guards it: then it lacks whom that row names.
  if (before && !candidates.has(before.contactId)) {
    for (const contact of await listIndexed(tx, Contacts, match)) candidates.set(contact.id, contact);
  }
  const found = [...candidates.values()].filter(isMatch);
  if (found.length > 1) {
    const contactIds = found.map(({ id }) => id).sort((a, b) => b - a);
    throw conflict('ambiguous_match', `${found.length} contacts have this ${matchOn}`, { contactIds });
  }
  const [only] = found;
  if (only) {
    const { platform: _, ...change } = fields;
    return { contact: await changeContact(tx, only.id, change), isNew: false };
  }
  const contact = await createContact(tx, fields);
  const after = { ...upsert, contactId: contact.id };
  if (before) tx.update(Upserts, after);
  else tx.create(Upserts, after);
  return { contact, isNew: true };
}
