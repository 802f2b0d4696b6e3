import { Contacts } from '#lib/entities/contact.ts';
import { holderOf } from '#lib/table/entries.ts';
import type { ValueHolder } from '#lib/workspaces/field-values.ts';

/** Contacts as holders of custom values. */
export const contactValues: ValueHolder = {
  object: 'contact',
  holder: async (tx, uniqueValue) => (await holderOf(tx, Contacts, { uniqueValue }))?.id,
};
