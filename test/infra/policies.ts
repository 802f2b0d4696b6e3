import { type ResolvedResource, resourceFinder } from '#infra/local/template.ts';

export const home = { accountId: '111122223333', region: 'eu-central-1' };
const servers = { ...home, sqsUrl: 'https://sqs', apiUrl: 'https://api', keyId: 'key' };

/** Who asks: a service of AWS, or a role of the stack by its ARN. */
type Caller = { service: string } | { role: string };

export interface Request {
  caller: Caller;
  action: string;
  /** An ARN. */
  resource: string;
  /** The condition keys that the service sends along, besides `aws:SecureTransport`. */
  context?: Record<string, string | string[]>;
}

type OneOrMore<T> = T | readonly T[];
type Conditions = Record<string, Record<string, OneOrMore<string | boolean>>>;
interface Statement {
  Effect: 'Allow' | 'Deny';
  Principal?: '*' | Record<string, OneOrMore<string>>;
  Action: OneOrMore<string>;
  Resource?: OneOrMore<string>;
  Condition?: Conditions;
}
interface Document {
  Statement: OneOrMore<Statement>;
}

const list = <T>(value: OneOrMore<T> | undefined): T[] => (value === undefined ? [] : ([value].flat() as T[]));

/** What the templates of an assembly say about who may do what, evaluated as IAM does within one account. */
export function readPolicies(assembly: string) {
  const of = resourceFinder(assembly, servers);
  const attached = attachedDocuments(of);
  const identity = new Map(of('AWS::IAM::Role').map((role) => [role.arn, identityDocuments(role, of)]));

  const statementsOf = (documents: readonly Document[] = []) =>
    documents.flatMap(({ Statement: statements }) => list(statements));

  /** Allowed by the resource's policy or the role's, and denied by neither. A service has no policy of its own. */
  function mayUse({ caller, action, resource, context = {} }: Request): boolean {
    const values = { 'aws:SecureTransport': 'true', ...context };
    const ofResource = statementsOf(attached.get(baseOf(resource)))
      .filter(({ Principal }) => names(Principal, caller))
      .filter((statement) => isAbout(statement, action, statement.Resource === undefined ? undefined : resource));
    const ofCaller =
      'role' in caller
        ? statementsOf(identity.get(caller.role)).filter((statement) => isAbout(statement, action, resource))
        : [];
    const applying = [...ofResource, ...ofCaller].filter(({ Condition = {} }) => isMet(Condition, values));
    return applying.some(({ Effect }) => Effect === 'Allow') && !applying.some(({ Effect }) => Effect === 'Deny');
  }
  return { of, mayUse };
}

/** The policies of each resource by its ARN. */
function attachedDocuments(of: (type: string) => ResolvedResource[]): Map<string, Document[]> {
  const documents = new Map<string, Document[]>();
  const arnOf = new Map(
    ['AWS::SQS::Queue', 'AWS::SNS::Topic', 'AWS::S3::Bucket', 'AWS::Lambda::Function'].flatMap((type) =>
      of(type).flatMap(({ ref, arn, name }) => [[ref, arn || ref] as const, [name, arn || ref] as const]),
    ),
  );
  const attach = (to: unknown, document: unknown) => {
    const arn = arnOf.get(String(to)) ?? String(to);
    documents.set(arn, [...(documents.get(arn) ?? []), document as Document]);
  };
  for (const { properties } of of('AWS::SQS::QueuePolicy'))
    for (const queue of list(properties['Queues'])) attach(queue, properties['PolicyDocument']);
  for (const { properties } of of('AWS::SNS::TopicPolicy'))
    for (const topic of list(properties['Topics'])) attach(topic, properties['PolicyDocument']);
  for (const { properties } of of('AWS::S3::BucketPolicy')) attach(properties['Bucket'], properties['PolicyDocument']);
  for (const { arn, properties } of of('AWS::KMS::Key')) attach(arn, properties['KeyPolicy']);
  for (const { arn, properties } of of('AWS::IAM::Role')) attach(arn, properties['AssumeRolePolicyDocument']);
  for (const { properties } of of('AWS::Lambda::Permission'))
    attach(properties['FunctionName'], permission(properties));
  return documents;
}

const permission = ({ Action, Principal, SourceArn, SourceAccount }: Record<string, unknown>): Document => ({
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

function identityDocuments(role: ResolvedResource, of: (type: string) => ResolvedResource[]): Document[] {
  const inline = list(role.properties['Policies'] as OneOrMore<{ PolicyDocument: Document }>);
  const attached = of('AWS::IAM::Policy').filter(({ properties }) => list(properties['Roles']).includes(role.ref));
  return [
    ...inline.map(({ PolicyDocument }) => PolicyDocument),
    ...attached.map(({ properties }) => properties['PolicyDocument'] as Document),
  ];
}

/** Of an object in a bucket its bucket, else the resource itself. */
const baseOf = (arn: string) => (arn.startsWith('arn:aws:s3:') ? (arn.split('/')[0] as string) : arn);

function names(principal: Statement['Principal'], caller: Caller): boolean {
  if (principal === undefined) return false;
  const entries = typeof principal === 'string' ? [['AWS', principal] as const] : Object.entries(principal);
  return entries.some(([kind, values]) =>
    list(values).some((value) => {
      if (value === '*') return true;
      if ('service' in caller) return kind === 'Service' && value === caller.service;
      // The root of the account leaves the decision to the policies of its roles.
      return kind === 'AWS' && value === caller.role;
    }),
  );
}

const isLike = (text: string, pattern: string) =>
  new RegExp(
    `^${pattern
      .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.')}$`,
    's',
  ).test(text);

const isAbout = ({ Action, Resource }: Statement, action: string, resource: string | undefined) =>
  list(Action).some((pattern) => isLike(action.toLowerCase(), pattern.toLowerCase())) &&
  (resource === undefined || list(Resource).some((pattern) => isLike(resource, pattern)));

const operators: Record<string, (value: string, wanted: string) => boolean> = {
  StringEquals: (value, wanted) => value === wanted,
  StringLike: isLike,
  ArnEquals: isLike,
  ArnLike: isLike,
  Bool: (value, wanted) => value === wanted,
};

/** Throws on an operator that it does not know, so that no condition is passed over. */
function isMet(conditions: Conditions, values: Record<string, OneOrMore<string>>): boolean {
  const lowerCased = new Map(Object.entries(values).map(([key, value]) => [key.toLowerCase(), value]));
  return Object.entries(conditions).every(([operator, keys]) => {
    const compare = operators[operator.replace('ForAnyValue:', '')];
    if (!compare) throw new Error(`the condition operator ${operator} is not known here`);
    return Object.entries(keys).every(([key, wanted]) => {
      const found = list(lowerCased.get(key.toLowerCase()));
      return found.some((value) => list(wanted).some((one) => compare(value, String(one))));
    });
  });
}
