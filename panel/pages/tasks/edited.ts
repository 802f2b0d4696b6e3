import type { Schema } from '../../../client/index.ts';
import type { Names } from '../../app/names.ts';
import { t } from '../../app/texts.ts';

/** A task that is changed, with the names of what it belongs to; one without `task` is new. */
export interface Edited {
  task?: Schema<'Task'>;
  contact?: { id: number; name: string };
  chosenDeal?: { id: number; title: string };
}

export const nameOfContact = (contacts: Names, id: number): string => contacts.get(id) ?? `#${id}`;
export const titleOfDeal = (deals: Names, id: number): string => deals.get(id) ?? `${t.common.deal} #${id}`;

export const editedOf = (task: Schema<'Task'>, contacts: Names, deals: Names): Edited => ({
  task,
  ...(task.contactId !== null && { contact: { id: task.contactId, name: nameOfContact(contacts, task.contactId) } }),
  ...(task.dealId !== null && { chosenDeal: { id: task.dealId, title: titleOfDeal(deals, task.dealId) } }),
});
