import type { Schema } from '../../../client/index.ts';

/** An option as its editor has it: without an id until it is saved. */
export interface EditedOption {
  id?: number;
  label: string;
  color: string;
}

/** Colors of new options, one after the other. */
export const optionColors = ['#3949ab', '#00897b', '#f4511e', '#8e24aa', '#fb8c00', '#1e88e5', '#c0ca33', '#d81b60'];

export const openOptions = (options: Schema<'Field'>['options']): EditedOption[] =>
  options.filter(({ isArchived }) => !isArchived).map(({ id, label, color }) => ({ id, label, color }));

/**
 * Brings edited options together with those that somebody else has saved meanwhile: theirs that are new stay, and theirs count where
 * nothing was edited.
 */
export function mergedOptions(
  before: readonly EditedOption[],
  mine: readonly EditedOption[],
  theirs: readonly EditedOption[],
): EditedOption[] {
  const inThat = (list: readonly EditedOption[], id: number | undefined) => list.find((one) => one.id === id);
  const kept = mine.flatMap((option) => {
    const [old, now] = [inThat(before, option.id), inThat(theirs, option.id)];
    const isEdited = !old || old.label !== option.label || old.color !== option.color;
    if (option.id === undefined || isEdited) return option;
    // Without an edit of mine it is as they have left it, or gone.
    return now ? [now] : [];
  });
  const labels = new Set(kept.map(({ label }) => label.toLowerCase()));
  const added = theirs.filter(({ id, label }) => !inThat(before, id) && !labels.has(label.toLowerCase()));
  return [...kept, ...added];
}

/** Moves an entry of a list to another place. */
export function moved<Of>(list: readonly Of[], from: number, to: number): Of[] {
  const rest = list.filter((_, at) => at !== from);
  return [...rest.slice(0, to), ...list.slice(from, from + 1), ...rest.slice(to)];
}

const maxSlug = 40;

/** The slug that a title suggests: `Größe (cm)` → `grosse_cm`. */
export function slugOf(title: string): string {
  const plain = title
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[_0-9]+/g, '');
  return plain.slice(0, maxSlug).replace(/_$/, '');
}
