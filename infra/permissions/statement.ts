import type { Values } from '#infra/local/calls.ts';
import { conditionOf } from './condition.ts';
import { anyOf, matcher } from './pattern.ts';

type OneOrMore<T> = T | readonly T[];

/** A statement as templates have it, its references resolved. */
export interface StatementText {
  Effect: 'Allow' | 'Deny';
  Principal?: '*' | Record<string, OneOrMore<string>>;
  Action: OneOrMore<string>;
  Resource?: OneOrMore<string>;
  Condition?: Record<string, Record<string, OneOrMore<string | boolean>>>;
}

export interface PolicyText {
  Statement: OneOrMore<StatementText>;
}

/** Caller: a service of AWS, or a function or a service with a role of the template. */
export type Principal = { service: string } | { role: string };

/** A statement of a policy, read once: each call is held against it. */
export interface Statement {
  isDeny: boolean;
  isAbout(action: string): boolean;
  /** Returns whether a resource's policy is about this caller. */
  isFor(principal: Principal): boolean;
  holds(action: string, resource: string, values: Values): boolean;
  /** Returns the grants that allow a call, as named in `grants`. */
  granted(action: string, resource: string): string[];
  /** Everything that it allows: whose it is, an action, and a resource. */
  grants: string[];
}

export const list = <T>(value: OneOrMore<T> | undefined): T[] => (value === undefined ? [] : ([value].flat() as T[]));

/** The statements of a policy. One without a resource is about the resource that it is attached to. */
export const statementsOf = (owner: string, { Statement }: PolicyText): Statement[] =>
  list(Statement).map((text) => read(owner, text));

function read(owner: string, { Effect, Principal, Action, Resource, Condition }: StatementText): Statement {
  // Actions are the same whatever their case.
  const actions = list(Action).map((written) => ({ written, holds: matcher(written.toLowerCase()) }));
  const resources = list(Resource ?? '*').map((written) => ({ written, holds: matcher(written) }));
  const isMet = conditionOf(Condition ?? {});
  const grantsOf = (of: typeof actions, at: typeof resources) =>
    of.flatMap((action) => at.map((resource) => `${owner} ${action.written} ${resource.written}`));
  const isAbout = (action: string) => anyOf(actions.map(({ holds }) => holds))(action.toLowerCase());
  const isAt = anyOf(resources.map(({ holds }) => holds));
  return {
    isDeny: Effect === 'Deny',
    isAbout,
    isFor: namedBy(Principal),
    holds: (action, resource, values) => isAt(resource) && isAbout(action) && isMet(values),
    granted: (action, resource) =>
      grantsOf(
        actions.filter(({ holds }) => holds(action.toLowerCase())),
        resources.filter(({ holds }) => holds(resource)),
      ),
    grants: grantsOf(actions, resources),
  };
}

const root = /^(arn:aws:iam::\d{12}:root|\d{12})$/;

function namedBy(named: StatementText['Principal']): (principal: Principal) => boolean {
  if (named === undefined) return () => false;
  if (named === '*') return () => true;
  const isService = anyOf(list(named['Service']).map(matcher));
  const isRole = anyOf(list(named['AWS']).map(matcher));
  return (principal) => ('service' in principal ? isService(principal.service) : isRole(principal.role));
}

/** Whether a statement of a resource's policy leaves the decision to the policies of the account's roles. */
export const isForAccount = ({ Principal }: StatementText): boolean =>
  typeof Principal === 'object' && list(Principal['AWS']).some((name) => root.test(name));
