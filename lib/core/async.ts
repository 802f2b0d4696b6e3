/**
 * Runs work once for each object and returns the first result, or throws its error. The object is a unit of work, or a
 * request whose unit of work may run again while what it sent, paid for or committed stays.
 */
export function oncePer<Of extends object, Result>(): (of: Of, act: () => Promise<Result>) => Promise<Result> {
  const results = new WeakMap<Of, Promise<Result>>();
  return (of, act) => {
    const result = results.get(of) ?? act();
    results.set(of, result);
    return result;
  };
}

/** In slices of so many. */
export const chunks = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size));

/** Does the work for each, so many side by side. */
export async function inParallel<T>(
  all: readonly T[],
  width: number,
  work: (one: T) => Promise<unknown>,
): Promise<void> {
  const left = all.values();
  const next = async (): Promise<void> => {
    for (const one of left) await work(one);
  };
  await Promise.all(Array.from({ length: width }, next));
}
