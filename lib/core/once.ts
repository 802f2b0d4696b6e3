/**
 * What is done once for each object: for a request, whose unit of work may run again after a conflict while what it has sent, paid
 * for or committed beside it stays so; or for a unit of work. Returns what the first run for that object got, or throws it.
 */
export function oncePer<Of extends object, Result>(): (of: Of, act: () => Promise<Result>) => Promise<Result> {
  const results = new WeakMap<Of, Promise<Result>>();
  return (of, act) => {
    const result = results.get(of) ?? act();
    results.set(of, result);
    return result;
  };
}
