import type { Usage } from '#infra/local/iam/usage.ts';
import { unused } from './unused.ts';

/** Where what functions may do and what they did differ, a line each. */
export interface Difference {
  /** Calls that were refused. */
  denied: string[];
  /** What nobody used, though no reason is known. */
  unused: string[];
  /** Reasons for what was used after all, or is not given any more. */
  outdated: string[];
}

export function differenceOf({ grants, used, denied }: Usage): Difference {
  const uses = new Set(Object.values(used).flatMap((counts) => Object.keys(counts)));
  const idle = Object.values(grants)
    .flat()
    .filter((grant) => !uses.has(grant));
  return {
    denied: Object.entries(denied).flatMap(([caller, counts]) =>
      Object.entries(counts).map(([what, times]) => `${caller} was refused ${what} (${times} times)`),
    ),
    unused: idle.filter((grant) => !unused.some((known) => known.grant.test(grant))).sort(),
    outdated: unused.filter((known) => !idle.some((grant) => known.grant.test(grant))).map(({ grant }) => `${grant}`),
  };
}
