import { type PlanKind, startPlan } from '#lib/table/plan.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { Contacts, type StoredContact } from './contact.ts';
import { followers } from './followers.ts';

/**
 * Shows a new name wherever the contact's name is shown, before the answer or by way of the plan: only after the commit can no row
 * with the old name appear any more, because whoever writes one demands the contact as it was.
 */
export const renameFollowers = (tx: Transaction, { id }: StoredContact): void =>
  startPlan(tx, renaming, { contactId: id });

/** A contact that is merged meanwhile has its rows renamed by the merge. */
export const renaming: PlanKind<{ contactId: number }> = {
  name: 'rename',
  async step(tx, state) {
    const contact = await tx.find(Contacts, { id: state.contactId });
    if (contact === undefined) return undefined;
    tx.demandUnchanged(Contacts, contact);
    for (const follower of followers) {
      if (await follower.renamed?.(tx, contact)) return state;
    }
    return undefined;
  },
};
