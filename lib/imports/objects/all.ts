import type { ImportObject } from '#lib/core/choices.ts';
import { companies } from './companies.ts';
import { contacts } from './contacts.ts';
import { deals } from './deals.ts';
import { notes } from './notes.ts';
import type { ImportedObject } from './object.ts';
import { tasks } from './tasks.ts';

/** How the rows of each object become records. */
export const importedObjects: Readonly<Record<ImportObject, ImportedObject>> = {
  contacts,
  companies,
  deals,
  tasks,
  notes,
};
