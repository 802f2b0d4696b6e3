import { nameOf } from '../app/show.ts';
import { t } from '../app/texts.ts';

/** How a form has a record: its name and its id. */
export const chosenText = ({ id, name }: { id: number; name: string }): string => `${name} (#${id})`;

/** How a form has a contact. */
export const written = (contact: { id: number; name?: string | null }) =>
  chosenText({ id: contact.id, name: nameOf(contact) });

/** The id at the end of a lookup field's text; null for none. Raises `otherwise` for a text that names nothing. */
export function idIn(text: string | undefined, otherwise: () => string): number | null {
  if (text === undefined) return null;
  const id = /\(#(\d+)\)$/.exec(text)?.[1];
  if (id === undefined) throw new Error(otherwise());
  return Number(id);
}

/** The contact that a ContactField's text names; null for none. Raises for a text that names nobody. */
export const contactIn = (text: string | undefined): number | null => idIn(text, () => t.parts.chooseAContactFromThe);
