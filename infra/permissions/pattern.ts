export type Matches = (text: string) => boolean;

/** Whether a text is like a pattern with `*` and `?`. Most patterns are a text or its beginning, which no regular expression is needed for. */
export function matcher(pattern: string): Matches {
  const head = pattern.slice(0, -1);
  if (!/[*?]/.test(pattern)) return (text) => text === pattern;
  if (pattern.endsWith('*') && !/[*?]/.test(head)) return (text) => text.startsWith(head);
  const source = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(/\*+/g, '.*')
    .replaceAll('?', '.');
  const expression = new RegExp(`^${source}$`, 's');
  return (text) => expression.test(text);
}

export const anyOf =
  (all: readonly Matches[]): Matches =>
  (text) =>
    all.some((matches) => matches(text));
