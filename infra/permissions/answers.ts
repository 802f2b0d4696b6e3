import { read } from '#infra/local/iam/asked.ts';
import type { Policies } from '#infra/local/iam/policies.ts';
import { plain, type Usage } from '#infra/local/iam/usage.ts';

/** Of one function, a line for each thing. */
export interface Answer {
  name: string;
  role: string;
  /** What its role lets it do. */
  may: string[];
  /** What it did in the run, and how often. */
  did: [what: string, times: number][];
  /** What it did or tried in the run, and the policies refuse. */
  denied: string[];
}

interface DeployedFunction {
  name: string;
  role: string;
}

/** What each function may do by the policies, what it did in a run, and what of that they would deny. */
export function answersOf(
  functions: readonly DeployedFunction[],
  policies: Policies,
  { did, denied }: Usage,
): Answer[] {
  const { roles } = policies.grants();
  return functions.map(({ name, role }) => {
    const done = Object.entries(did[name] ?? {});
    const tried = Object.keys(denied[name] ?? {});
    const isAllowed = (line: string) => policies.decide({ principal: { role }, ...read(line) }).isAllowed;
    return {
      name,
      role: role.split('/').at(-1) ?? '',
      may: [...new Set((roles.get(role) ?? []).map((grant) => plain(grant).replace(/^\S+ /, '')))].sort(),
      did: done.sort(([a], [b]) => (a < b ? -1 : 1)),
      denied: [...new Set([...done.map(([line]) => line), ...tried])].filter((line) => !isAllowed(line)).sort(),
    };
  });
}
