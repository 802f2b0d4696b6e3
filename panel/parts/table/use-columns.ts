import { useMemo } from 'preact/hooks';
import { language } from '../../app/locale.ts';
import type { Names } from '../../app/names.ts';
import { useNamesSoFar } from '../../app/names.ts';
import type { useFields } from '../custom-fields.tsx';
import { type Column, chosenColumns } from './column.ts';
import { customColumns, idsIn, type WithFields } from './custom-columns.tsx';

interface TableColumns<Item> {
  /** Every column that there is. */
  all: readonly Column<Item>[];
  columns: readonly Column<Item>[];
}

/** The columns of a table: those of the object itself, then its custom fields; and of these the ones that are shown. */
export function useColumns<Item extends WithFields>(
  definitions: ReturnType<typeof useFields>,
  own: (names: Names) => Column<Item>[],
  member: Names,
  names: readonly string[] | undefined,
  rows: readonly Item[],
  /** What its own columns are made of besides. */
  rest: readonly unknown[] = [],
): TableColumns<Item> {
  const shown = definitions.filter(({ slug }) => names?.includes(`fields.${slug}`));
  const contact = useNamesSoFar('contact', idsIn(rows, shown, 'contact'));
  const company = useNamesSoFar('company', idsIn(rows, shown, 'company'));
  const deal = useNamesSoFar('deal', idsIn(rows, shown, 'deal'));
  const given = [language.value, JSON.stringify([[...member], definitions]), contact, company, deal, ...rest];
  const all = useMemo(
    () => [...own(member), ...customColumns<Item>(definitions, { member, contact, company, deal })],
    given,
  );
  const columns = useMemo(() => chosenColumns(all, names), [all, names?.join()]);
  return { all, columns };
}
