import { type Caller, requireScope } from '#lib/core/caller.ts';
import type { ImportObject } from '#lib/core/choices.ts';
import { notFound } from '#lib/core/problem.ts';
import type { Scope } from '#lib/core/scopes.ts';
import { Imports, type StoredImport } from '#lib/entities/import.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** The relations of a note, with the scope that lets its record have one. */
const ofNotes: Readonly<Record<string, Scope>> = {
  contact: 'contacts:write',
  contactId: 'contacts:write',
  company: 'companies:write',
  companyId: 'companies:write',
  deal: 'deals:write',
  dealId: 'deals:write',
};

interface Asked {
  object: ImportObject;
  mapping?: Readonly<Record<string, string | null>>;
}

/** Raises 403 for who may not change what an import has brought. Raises 404. */
export async function permitUndo(
  tx: UnitOfWork,
  caller: Pick<Caller, 'scopes' | 'session'>,
  id: number,
): Promise<void> {
  permitImport(caller, askedOf(await tx.get(Imports, { id }, () => notFound('import'))));
}

/** Whether a caller may see the rows of a file. */
export function maySeeRows(caller: Pick<Caller, 'scopes' | 'session'>, row: StoredImport): boolean {
  try {
    permitImport(caller, askedOf(row));
    return true;
  } catch {
    return false;
  }
}

const askedOf = ({ object, mapping }: StoredImport): Asked => ({
  object,
  mapping: Object.fromEntries(mapping.map(({ header, field }) => [header, field])),
});

/** Raises 403 without the write scope of the object; of notes, those of the records that they are mapped to. */
export function permitImport(caller: Pick<Caller, 'scopes' | 'session'>, { object, mapping }: Asked): void {
  const ofRelations = Object.values(mapping ?? {}).flatMap((field) => ofNotes[field?.trim() ?? ''] ?? []);
  const needed: Scope[] = object === 'notes' ? ofRelations : [`${object}:write`];
  if (needed.length === 0) requireScope({ scope: [...new Set(Object.values(ofNotes))] }, caller);
  for (const scope of needed) requireScope({ scope }, caller);
}
