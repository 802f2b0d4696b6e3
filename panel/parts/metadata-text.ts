import { t } from '../app/texts.ts';

/** Writes metadata as people edit it. */
export const metadataText = (metadata: Readonly<Record<string, string>>): string => JSON.stringify(metadata, null, 2);

/** Reads an object of texts. Raises for anything else. */
export function metadataIn(text: string | undefined): Record<string, string> {
  let given: unknown;
  try {
    given = JSON.parse(text ?? '{}');
  } catch {
    throw new Error(t.contacts.notMetadata);
  }
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
  if (!isObject || Object.values(given as object).some((value) => typeof value !== 'string'))
    throw new Error(t.contacts.notMetadata);
  return given as Record<string, string>;
}
