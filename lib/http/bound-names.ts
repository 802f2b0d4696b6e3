const maxNames = 20;
const maxNameCharacters = 100;

/** Callers name their fields as they like; a header takes only some characters, and not too many: `a`, `b`, `+3 more`. */
export function boundNames(names: Iterable<string>): string[] {
  const all = [...new Set(names)];
  const shown = all.slice(0, maxNames).map((name) => {
    const start = name.slice(0, maxNameCharacters + 1).toWellFormed();
    const text = start.replaceAll(/[^!-+\--~]/gu, encodeURIComponent);
    return text.length <= maxNameCharacters ? text : `${text.slice(0, maxNameCharacters).replace(/%.?$/, '')}...`;
  });
  return all.length > maxNames ? [...shown, `+${all.length - maxNames} more`] : shown;
}
