type Json = Record<string, unknown>;

const condition = /^\(?\$\.([\w.]+) (?:IS TRUE|(!?=) "([^"]*)")\)?$/;

/** Returns a matcher for a JSON filter pattern of CloudWatch. It knows conditions that a property is true, or equals or differs from a text. */
export function logMatcher(pattern: string): (line: string) => boolean {
  const [, asked = ''] = /^\{ (.+) \}$/.exec(pattern) ?? [];
  const conditions = asked.split(' && ').map((one) => {
    const [, path, operator, text] = condition.exec(one) ?? [];
    if (path === undefined) throw new Error(`the local cloud does not know the filter pattern ${pattern}`);
    const names = path.split('.');
    return { names, holds: operator === undefined ? isTrue : compares(operator === '=', text) };
  });
  return (line) => {
    // Most lines are told by their text alone.
    if (!line.startsWith('{') || conditions.some(({ names }) => !line.includes(`"${names.at(-1)}"`))) return false;
    try {
      const parsed = JSON.parse(line) as Json;
      return conditions.every(({ names, holds }) => holds(valueAt(parsed, names)));
    } catch {
      return false;
    }
  };
}

const isTrue = (value: unknown) => value === true;

/** Returns a comparison with a text, which is false for a missing value. */
const compares = (isEqual: boolean, text: unknown) => (value: unknown) =>
  value !== undefined && (value === text) === isEqual;

const valueAt = (of: unknown, [name, ...rest]: readonly string[]): unknown =>
  name === undefined ? of : valueAt((of as Json | null | undefined)?.[name], rest);
