import { firstCharacters } from '#lib/core/text.ts';
import { maxNoteCharacters } from '#lib/entities/activity.ts';

interface Facts {
  id: number;
}

/**
 * Returns notes with the values of a merged record that the other one does not take, of `fields` and of metadata: one, or more if one cannot
 * hold them.
 */
export function mergeNotes<Row extends Facts>(
  noun: string,
  target: Row,
  source: Row,
  fields: readonly (keyof Row & string)[],
  metadata: Record<string, string>,
): string[] {
  const lines = [
    ...fields
      .filter((field) => target[field] !== null && source[field] !== null && source[field] !== target[field])
      .map((field) => `${field}: ${source[field]}`),
    ...Object.entries(metadata).map(([key, value]) => `metadata.${key}: ${value}`),
  ];
  if (lines.length === 0) return [];
  const head = `Of ${noun} ${source.id}, merged into this one, which this one has of its own or no room for:`;
  const notes: string[] = [];
  for (let rest = [head, ...lines].join('\n'); rest !== ''; rest = rest.slice(notes.at(-1)?.length))
    notes.push(firstCharacters(rest, maxNoteCharacters));
  return notes;
}
