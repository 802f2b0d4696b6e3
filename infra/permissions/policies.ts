import type { Values } from '#infra/local/calls.ts';
import type { ResolvedResource } from '#infra/local/template.ts';
import {
  isForAccount,
  list,
  type PolicyText,
  type Principal,
  type Statement,
  type StatementText,
  statementsOf,
} from './statement.ts';

export interface Asked {
  principal: Principal;
  action: string;
  /** An ARN. */
  resource: string;
  values?: Values;
}

export interface Decision {
  isAllowed: boolean;
  /** As AWS ends its message where it is not. */
  because: string;
  /** Grants that allowed the call. */
  grants: string[];
}

type Find = (type: string) => ResolvedResource[];

/** Policy of a resource: its statements, and whether it leaves the decision to the policies of the account's roles. */
interface Attached {
  statements: Statement[];
  isForAccount: boolean;
}

/** Policies of the templates, evaluated as IAM does within one account. */
export class Policies {
  /** By the ARN of a role; a role's own ARN has its trust policy among the attached. */
  readonly #identity: Map<string, Statement[]>;
  readonly #attached: Map<string, Attached>;
  /** The statements of a role about an action. */
  readonly #about = new Map<string, Statement[]>();

  constructor(find: Find) {
    this.#identity = readIdentity(find);
    this.#attached = readAttached(find);
  }

  /** Allowed by the resource's policy or the role's, and denied by neither. A service has no policy of its own. */
  decide({ principal, action, resource, values = {} }: Asked): Decision {
    const attached = this.#attached.get(baseOf(resource));
    // Local services have no TLS, so the condition is taken as true.
    const given = { 'aws:securetransport': 'true', ...values };
    const holding = (statements: readonly Statement[] = []) =>
      statements.filter((statement) => statement.holds(action, resource, given));
    const ofResource = holding(attached?.statements.filter((statement) => statement.isFor(principal)));
    const ofRole = 'role' in principal ? holding(this.#ofRole(principal.role, action)) : [];
    const denies = (statements: readonly Statement[]) => statements.some(({ isDeny }) => isDeny);
    const refused = (because: string): Decision => ({ isAllowed: false, because, grants: [] });
    if (denies(ofResource)) return refused('with an explicit deny in a resource-based policy');
    if (denies(ofRole)) return refused('with an explicit deny in an identity-based policy');
    // A key's policy has the first word: what it does not leave to the account no role can give.
    const isLeft = !resource.startsWith('arn:aws:kms:') || attached?.isForAccount === true;
    const allowing = [...ofResource, ...(isLeft ? ofRole : [])];
    const kind = 'role' in principal ? 'identity-based' : 'resource-based';
    if (allowing.length === 0) return refused(`because no ${kind} policy allows the ${action} action`);
    return {
      isAllowed: true,
      because: '',
      grants: allowing.flatMap((statement) => statement.granted(action, resource)),
    };
  }

  /** Everything that the policies of a role allow. */
  grantsOf(role: string): string[] {
    return (this.#identity.get(role) ?? []).filter(({ isDeny }) => !isDeny).flatMap(({ grants }) => grants);
  }

  #ofRole(role: string, action: string): Statement[] {
    const key = `${role} ${action}`;
    const known = this.#about.get(key);
    if (known) return known;
    const found = (this.#identity.get(role) ?? []).filter(({ isAbout }) => isAbout(action));
    this.#about.set(key, found);
    return found;
  }
}

/** Returns the bucket of an object, else the resource itself. */
const baseOf = (arn: string) => (arn.startsWith('arn:aws:s3:') ? (arn.split('/', 1)[0] as string) : arn);

function readIdentity(find: Find): Map<string, Statement[]> {
  const attached = find('AWS::IAM::Policy');
  const read = find('AWS::IAM::Role').map(({ arn, ref, name, properties }) => {
    const inline = list(properties['Policies'] as { PolicyDocument: PolicyText }[]);
    const others = attached.filter((policy) => list(policy.properties['Roles']).includes(ref));
    const documents = [
      ...inline.map(({ PolicyDocument }) => PolicyDocument),
      ...others.map((policy) => policy.properties['PolicyDocument'] as PolicyText),
    ];
    const merged: PolicyText = { Statement: documents.flatMap(({ Statement: statements }) => list(statements)) };
    return [arn, statementsOf(name, merged)] as const;
  });
  return new Map(read);
}

function readAttached(find: Find): Map<string, Attached> {
  const attached = new Map<string, Attached>();
  const arns = new Map(
    ['AWS::SQS::Queue', 'AWS::SNS::Topic', 'AWS::S3::Bucket', 'AWS::Lambda::Function'].flatMap((type) =>
      find(type).flatMap(({ ref, arn, name }) => [[ref, arn || ref] as const, [name, arn || ref] as const]),
    ),
  );
  const attach = (to: unknown, name: string, document: unknown) => {
    const arn = arns.get(String(to)) ?? String(to);
    const { statements = [], isForAccount: wasForAccount = false } = attached.get(arn) ?? {};
    const policy = document as PolicyText;
    attached.set(arn, {
      statements: [...statements, ...statementsOf(name, policy)],
      isForAccount: wasForAccount || list(policy.Statement as StatementText[]).some(isForAccount),
    });
  };
  for (const { name, properties } of find('AWS::SQS::QueuePolicy'))
    for (const queue of list(properties['Queues'])) attach(queue, name, properties['PolicyDocument']);
  for (const { name, properties } of find('AWS::SNS::TopicPolicy'))
    for (const topic of list(properties['Topics'])) attach(topic, name, properties['PolicyDocument']);
  for (const { name, properties } of find('AWS::S3::BucketPolicy'))
    attach(properties['Bucket'], name, properties['PolicyDocument']);
  for (const { name, arn, properties } of find('AWS::KMS::Key')) attach(arn, name, properties['KeyPolicy']);
  for (const { name, arn, properties } of find('AWS::IAM::Role'))
    attach(arn, `${name}/trust`, properties['AssumeRolePolicyDocument']);
  for (const { name, properties } of find('AWS::Lambda::Permission'))
    attach(properties['FunctionName'], name, permission(properties));
  return attached;
}

const permission = ({ Action, Principal, SourceArn, SourceAccount }: Record<string, unknown>): PolicyText => ({
  Statement: {
    Effect: 'Allow',
    Principal: { Service: String(Principal) },
    Action: String(Action),
    Condition: {
      ...(SourceArn === undefined ? {} : { ArnLike: { 'aws:SourceArn': String(SourceArn) } }),
      ...(SourceAccount === undefined ? {} : { StringEquals: { 'aws:SourceAccount': String(SourceAccount) } }),
    },
  },
});
