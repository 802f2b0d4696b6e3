import type * as v from 'valibot';
import { conflict, invalidField } from '#lib/core/problem.ts';
import { Activities } from '#lib/entities/activity.ts';
import {
  Contacts,
  normalised,
  type StoredContact,
  sameAs,
  type UpsertContact,
  Upserts,
} from '#lib/entities/contact.ts';
import { sameHandle } from '#lib/entities/references/namesakes.ts';
import { listCopies } from '#lib/table/entries.ts';
import { listPage } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { changeContact } from './change.ts';
import { createContact } from './create.ts';
import type { ShownContact } from './view.ts';

/** Two are too many, whoever else there is. */
const maxMatches = 2;
/** So many are named where several match. */
const maxNamed = 100;

/**
 * Creates the contact, or changes the one that has the same username (on its platform), phone or e-mail. Emits contact.created or
 * contact.updated. Raises 400 without the field to match, 409 when several contacts match.
 */
export async function upsertContact(
  tx: UnitOfWork,
  { matchOn, ...fields }: v.InferOutput<typeof UpsertContact>,
): Promise<{ contact: ShownContact; isNew: boolean }> {
  const value = fields[matchOn];
  if (!value) throw invalidField(matchOn, 'required', `${matchOn} is required because it is matched on`);
  const sought = normalised[matchOn](value);
  const match = `${matchOn}=${sought}`;
  const isMatch = (contact: StoredContact) => {
    const own = contact[matchOn];
    if (own === null || normalised[matchOn](own) !== sought) return false;
    return matchOn !== 'username' || contact.platform === fields.platform;
  };
  const upsert = { match: matchOn === 'username' ? `${fields.platform}/${match}` : match };
  const by = matchOn === 'username' ? sameHandle(fields.platform, value) : sameAs(matchOn, value);
  // A page may end before it has found anybody.
  const list = async () => {
    const items: StoredContact[] = [];
    for (let after: number | null | undefined; after !== null && items.length < maxMatches; ) {
      const page = await listPage(tx, Contacts, { where: by, limit: maxMatches, after });
      items.push(...page.items);
      after = page.nextCursor;
    }
    return items;
  };
  const [before, listed] = await Promise.all([
    tx.find(Upserts, upsert),
    list(),
    tx.reserveIds({ [Contacts.name]: 1, [Activities.name]: Object.keys(fields).length }),
  ]);
  const candidates = new Map([...listed, ...tx.written(Contacts)].map((contact) => [contact.id, contact]));
  // The list may have been read before the row that guards it: then it lacks whom that row names.
  if (before && !candidates.has(before.contactId)) {
    for (const contact of await list()) candidates.set(contact.id, contact);
  }
  const found = [...candidates.values()].filter(isMatch);
  if (found.length > 1) {
    const entries = await listCopies(tx, Contacts, by, { limit: maxNamed });
    const isOther = new Set(tx.written(Contacts).flatMap((contact) => (isMatch(contact) ? [] : [contact.id])));
    const ids = new Set([...found.map(({ id }) => id), ...entries.map((entry) => Number(entry.of.sk))]);
    const contactIds = [...ids].filter((id) => !isOther.has(id)).sort((a, b) => b - a);
    const count = entries.length < maxNamed ? contactIds.length : `at least ${contactIds.length}`;
    throw conflict('ambiguous_match', `${count} contacts have this ${matchOn}`, { contactIds });
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
