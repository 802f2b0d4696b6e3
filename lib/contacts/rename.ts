import { type PlanKind, startPlan } from '#lib/table/plan.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { Contacts, type StoredContact } from './contact.ts';
import { followers } from './followers.ts';

/** Shows a new name wherever the contact's name is shown: with the rename itself what fits, the rest right after it. */
export async function renameFollowers(tx: Transaction, contact: StoredContact): Promise<void> {
  if (await isAnyLeft(tx, contact)) startPlan(tx, renaming, { contactId: contact.id });
}

/** Goes on with a rename. A contact that is merged meanwhile has its rows renamed by the merge. */
export const renaming: PlanKind<{ contactId: number }> = {
  name: 'rename',
  async step(tx, state) {
    const contact = await tx.find(Contacts, { id: state.contactId });
    if (contact === undefined) return undefined;
    tx.demandUnchanged(Contacts, contact);
    return (await isAnyLeft(tx, contact)) ? state : undefined;
  },
};

async function isAnyLeft(tx: Transaction, contact: StoredContact): Promise<boolean> {
  for (const follower of followers) {
    if (await follower.renamed?.(tx, contact)) return true;
  }
  return false;
}
