import type { Expand } from '#lib/core/include.ts';
import type { StoredContact } from '#lib/entities/contact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { includesArchive } from '#lib/workspaces/archive.ts';
import { includesFields } from '#lib/workspaces/field-values.ts';
import { shownAddresses } from './addresses.ts';
import { shownCompanies } from './company-links.ts';
import { listTags } from './tags.ts';
import { tagsOf } from './view.ts';

/** Adds to contacts what `include` asks for. */
export const expandContacts: Expand<UnitOfWork, StoredContact> = {
  ...includesFields('contact'),
  ...includesArchive,
  companies: shownCompanies,
  addresses: shownAddresses,
  async tags(tx, contacts) {
    const dictionary = await listTags(tx, { with: contacts.flatMap(({ tagIds }) => tagIds) });
    return contacts.map((contact) => tagsOf(contact, dictionary));
  },
};
