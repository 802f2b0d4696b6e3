import { nameOf } from '../app/show.ts';
import { t } from '../app/texts.ts';

/** How a ContactField shows a contact. */
export const written = (contact: { id: number; name?: string | null }) => `${nameOf(contact)} (#${contact.id})`;

/** The contact that a ContactField's text names; null for none. Raises for a text that names nobody. */
export function contactIn(text: string | undefined): number | null {
  if (text === undefined) return null;
  const id = /\(#(\d+)\)$/.exec(text)?.[1];
  if (id === undefined) throw new Error(t.parts.chooseAContactFromThe);
  return Number(id);
}
