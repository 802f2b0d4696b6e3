import type { ComponentChildren } from 'preact';

/** A column that a table can show. */
export interface Column<Item> {
  /** The field of the API: it is sorted by it, and a view keeps it. */
  name: string;
  title: string;
  show(item: Item): ComponentChildren;
  /** How wide it is at least. */
  widthRem: number;
  isNumber?: boolean;
  isSortable?: boolean;
  /** Shown until somebody has chosen. */
  isUsual?: boolean;
}

/** Returns the columns of these names in their order, behind the first one, which every table shows. Names that are unknown are left out. */
export function chosenColumns<Item>(
  all: readonly Column<Item>[],
  names: readonly string[] | undefined,
): Column<Item>[] {
  const [first, ...others] = all;
  if (!first) return [];
  if (!names) return [first, ...others.filter(({ isUsual }) => isUsual)];
  return [first, ...names.flatMap((name) => others.find((column) => column.name === name) ?? [])];
}

const keptAs = (object: string) => `crm.columns.${object}`;

/** Returns the columns of an object that this browser keeps; undefined for the usual ones. */
export function keptColumns(object: string): readonly string[] | undefined {
  const text = localStorage.getItem(keptAs(object));
  try {
    const names: unknown = text === null ? undefined : JSON.parse(text);
    return Array.isArray(names) ? names.map(String) : undefined;
  } catch {
    return undefined;
  }
}

export function keepColumns(object: string, names: readonly string[] | undefined): void {
  if (names === undefined) localStorage.removeItem(keptAs(object));
  else localStorage.setItem(keptAs(object), JSON.stringify(names));
}
