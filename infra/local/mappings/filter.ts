type Rule = string | number | boolean | null | Record<string, unknown>;

/** Whether an event-source mapping with these filters hands the event to its function: one of them has to match. */
export const passes = (filters: readonly Record<string, unknown>[], event: unknown): boolean =>
  filters.length === 0 || filters.some((pattern) => matches(pattern, event));

function matches(pattern: Record<string, unknown>, event: unknown): boolean {
  return Object.entries(pattern).every(([key, expected]) => {
    if (key === '$or') return (expected as Record<string, unknown>[]).some((option) => matches(option, event));
    const value = isObject(event) ? event[key] : undefined;
    if (Array.isArray(expected)) return (expected as Rule[]).some((rule) => accepts(rule, value));
    return matches(expected as Record<string, unknown>, value);
  });
}

function accepts(rule: Rule, value: unknown): boolean {
  if (isObject(rule) && 'exists' in rule) return rule['exists'] === (value !== undefined);
  const values = Array.isArray(value) ? value : [value];
  return values.some((item) => (isObject(rule) ? compares(rule, item) : item === rule));
}

function compares(rule: Record<string, unknown>, value: unknown): boolean {
  const [[operator, operand] = []] = Object.entries(rule);
  const compare = comparisons[operator ?? ''];
  if (!compare) throw new Error(`the local cloud does not know the filter rule ${JSON.stringify(rule)}`);
  return value !== undefined && compare(value, operand);
}

const comparisons: Record<string, (value: unknown, operand: unknown) => boolean> = {
  prefix: (value, operand) => typeof value === 'string' && value.startsWith(String(operand)),
  suffix: (value, operand) => typeof value === 'string' && value.endsWith(String(operand)),
  'equals-ignore-case': (value, operand) =>
    typeof value === 'string' && value.toLowerCase() === String(operand).toLowerCase(),
  'anything-but': (value, operand) => {
    const refused = (Array.isArray(operand) ? operand : [operand]) as Rule[];
    return !refused.some((rule) => accepts(rule, value));
  },
  numeric: (value, operand) => {
    if (typeof value !== 'number') return false;
    const parts = operand as (string | number)[];
    const pairs = Array.from({ length: parts.length / 2 }, (_, index) => parts.slice(2 * index, 2 * index + 2));
    return pairs.every(([sign, bound]) => numericSigns[sign as string]?.(value, bound as number) ?? false);
  },
};

const numericSigns: Record<string, (value: number, bound: number) => boolean> = {
  '=': (value, bound) => value === bound,
  '<': (value, bound) => value < bound,
  '<=': (value, bound) => value <= bound,
  '>': (value, bound) => value > bound,
  '>=': (value, bound) => value >= bound,
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
