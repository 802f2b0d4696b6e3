import { type ExportObject, fieldObjectOf } from '#lib/core/choices.ts';
import type { FieldError } from '#lib/core/problem.ts';
import { type Column, columns, fieldColumn, isRecordObject, metadataColumn } from '#lib/sheets/columns.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { fieldsOf } from '#lib/workspaces/fields.ts';

/** Columns of an export, and what is wrong with the names that were given. */
export interface Chosen {
  columns: Column[];
  wrong: FieldError[];
}

/** Returns the columns of these names in their order; all of the object without any. */
export async function columnsFor(tx: UnitOfWork, object: ExportObject, names: readonly string[]): Promise<Chosen> {
  const isRecord = isRecordObject(object);
  const fields = isRecord ? await fieldsOf(tx, fieldObjectOf[object]) : [];
  const all = [...columns[object], ...fields.filter(({ isArchived }) => !isArchived).map(fieldColumn)];
  if (names.length === 0) return { columns: all, wrong: [] };
  const byName = new Map(all.map((column) => [column.name, column]));
  const chosen: Chosen = { columns: [], wrong: [] };
  for (const [index, name] of names.entries()) {
    const field = `columns[${index}]`;
    const column = byName.get(name) ?? (isRecord ? metadataColumn(name) : undefined);
    if (column === undefined)
      chosen.wrong.push({
        field,
        code: 'unknown_reference',
        message: `${field} names no field of ${object}: ${JSON.stringify(name)}`,
      });
    else if (names.indexOf(name) < index)
      chosen.wrong.push({
        field,
        code: 'not_allowed',
        message: `${field} names a column twice: ${JSON.stringify(name)}`,
      });
    else chosen.columns.push(column);
  }
  return chosen;
}
