import type { Call } from '#infra/local/calls.ts';
import type { Policies } from './policies.ts';
import { unused as known } from './unused.ts';

/** Where what functions called and what their roles allow differ, a line each. */
export interface Findings {
  /** Calls that AWS would refuse. */
  denied: string[];
  /** Grants that no call needed and that have no reason. */
  unused: string[];
  /** Reasons for grants that a call needed after all, or that no longer exist. */
  outdated: string[];
}

interface DeployedFunction {
  name: string;
  /** The ARN of its role. */
  role: string;
}

/** Returns what the policies say of the calls. A call of a function that is not deployed is denied. */
export function evaluate(calls: readonly Call[], functions: readonly DeployedFunction[], policies: Policies): Findings {
  const roles = new Map(functions.map(({ name, role }) => [name, role]));
  const used = new Set<string>();
  const denied: string[] = [];
  for (const call of calls) {
    const role = roles.get(call.functionName) ?? 'none';
    const { isAllowed, because, grants } = policies.decide({ principal: { role }, ...call });
    if (!isAllowed) denied.push(`${call.functionName} may not ${textOf(call)}: ${because}`);
    for (const grant of grants) used.add(grant);
  }
  const idle = [...new Set(roles.values())].flatMap((role) => policies.grantsOf(role)).filter((one) => !used.has(one));
  return {
    denied,
    unused: idle.filter((grant) => !known.some((one) => one.grant.test(grant))).sort(),
    outdated: known.filter((one) => !idle.some((grant) => one.grant.test(grant))).map(({ grant }) => `${grant}`),
  };
}

/** The condition keys of AWS itself are the same in each call. */
const textOf = ({ action, resource, values }: Call) =>
  [action, resource, ...Object.entries(values).map(([key, value]) => `(${key} ${[value].flat().join(', ')})`)].join(
    ' ',
  );
