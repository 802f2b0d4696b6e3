import { Contacts } from '#lib/entities/contact.ts';
import { namingContacts } from '#lib/entities/naming-contacts.ts';
import { forgetReferences } from '#lib/references/follow.ts';
import type { SagaKind } from '#lib/table/saga.ts';
import { eraseFilesOf } from './files.ts';

/** Takes away what a merge had not moved yet when the contact that it was to be moved to was erased. */
export const forgetting: SagaKind<{ contactId: number; since: string | null }, 'forget'> = {
  name: 'forget',
  async step(tx, { contactId, since }) {
    // Its threads may have gone with whom it was to be moved to, or stay and show their files.
    const left = await forgetReferences(tx, Contacts, namingContacts, contactId, since, (of, row) =>
      eraseFilesOf(tx, of, row, ({ channel }) => channel === 'email'),
    );
    return left === undefined ? undefined : { contactId, since: left };
  },
};
