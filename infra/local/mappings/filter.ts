type Rule = string | number | boolean | null | Record<string, unknown>;

/** Whether an event-source mapping with these filters hands the event to its function: one of them has to match. */
export const passes = (filters: readonly Record<string, unknown>[], event: unknown): boolean =>
  filters.length === 0 || filters.some((pattern) => matches(pattern, event));

function matches(pattern: Record<string, unknown>, event: unknown): boolean {
  return Object.entries(pattern).every(([key, expected]) => {
    const value = isObject(event) ? event[key] : undefined;
    if (Array.isArray(expected)) return (expected as Rule[]).some((rule) => accepts(rule, value));
    return matches(expected as Record<string, unknown>, value);
  });
}

/** A value is in the list, or begins as a rule says. No template has another rule. */
function accepts(rule: Rule, value: unknown): boolean {
  const values = Array.isArray(value) ? value : [value];
  if (!isObject(rule)) return values.includes(rule);
  const { prefix, ...others } = rule;
  if (typeof prefix !== 'string' || Object.keys(others).length > 0)
    throw new Error(`the local cloud does not know the filter rule ${JSON.stringify(rule)}`);
  return values.some((item) => typeof item === 'string' && item.startsWith(prefix));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
