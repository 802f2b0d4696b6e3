import { Contacts } from '#lib/entities/contact.ts';
import { valueHolder } from '#lib/workspaces/field-values.ts';

/** Contacts as holders of custom values. */
export const contactValues = valueHolder('contact', Contacts);
