/** Far more than any JSON of a caller has, and a fifth of what functions that go by recursion have room for. */
export const maxLevels = 500;

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Returns whether a value has too many levels. Goes level by level, because one that is too deep for the stack is what it looks for. */
export function isTooDeep(value: unknown): boolean {
  let level = [value].filter(isNested);
  for (let passed = 0; level.length > 0; passed += 1) {
    if (passed === maxLevels) return true;
    level = level.flatMap((one) => Object.values(one).filter(isNested));
  }
  return false;
}
