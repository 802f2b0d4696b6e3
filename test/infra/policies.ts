import type { Values } from '#infra/local/calls.ts';
import { type ResolvedResource, resourceFinder } from '#infra/local/template.ts';
import { Policies } from '#infra/permissions/policies.ts';
import type { Principal } from '#infra/permissions/statement.ts';

export const home = { accountId: '111122223333', region: 'eu-central-1' };
const servers = { ...home, sqsUrl: 'https://sqs', apiUrl: 'https://api', keyId: 'key' };

export interface Request {
  caller: Principal;
  action: string;
  /** An ARN. */
  resource: string;
  /** The condition keys that the service sends along, besides `aws:SecureTransport`. */
  context?: Values;
}

/** What the templates of an assembly say about who may do what. */
export function readPolicies(assembly: string) {
  const find = resourceFinder(assembly, servers);
  // It resolves every reference at each call.
  const found = new Map<string, ResolvedResource[]>();
  const of = (type: string): ResolvedResource[] => {
    const resources = found.get(type) ?? find(type);
    found.set(type, resources);
    return resources;
  };
  const policies = new Policies(of);
  const mayUse = ({ caller: principal, action, resource, context = {} }: Request): boolean => {
    const values = Object.fromEntries(Object.entries(context).map(([key, value]) => [key.toLowerCase(), value]));
    return policies.decide({ principal, action, resource, values }).isAllowed;
  };
  return { of, mayUse };
}
