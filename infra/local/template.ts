import { readFileSync } from 'node:fs';
import { join, resolve as resolvePath } from 'node:path';
import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { identityOf, physicalName, type Resource, type Servers } from './template/identities.ts';
import { type References, replaced, resolve } from './template/intrinsics.ts';

export interface TableToRun extends CreateTableCommandInput {
  TableName: string;
  ttlAttribute: string | undefined;
}

interface QueueToRun {
  name: string;
  attributes: Record<string, unknown>;
}

export interface FunctionToRun {
  name: string;
  arn: string;
  /** The ARN of the role that it runs with. */
  role: string;
  /** In a log of JSON Lambda says how an invocation ended, at WARN of those alone that failed. */
  systemLogLevel: string | undefined;
  /** Holds the module that `handler` names. */
  folder: string;
  handler: string;
  /** Exactly the variables of the template. */
  environment: Record<string, string>;
  timeoutSeconds: number;
  memoryMb: number;
  /** The most that may run at once; the runner's own limit when absent. */
  reservedConcurrency: number | undefined;
}

interface Mapping {
  id: string;
  functionName: string;
  batchSize: number;
  windowSeconds: number;
  filters: Record<string, unknown>[];
  reportsItemFailures: boolean;
}

export interface QueueMapping extends Mapping {
  queueArn: string;
  maxConcurrency: number | undefined;
}

export interface StreamMapping extends Mapping {
  streamArn: string;
  tableName: string;
  bisects: boolean;
  /** Number of batches of one shard that run at once. Batches of one item run in order. */
  maxRetries: number;
  maxAgeSeconds: number;
  onFailureQueueArn: string | undefined;
}

export interface RateRule {
  arn: string;
  functionName: string;
  intervalMs: number;
  /** Input of the function instead of the event. */
  input: string | undefined;
}

/** Which lines of a log go to which function, and what becomes of those that it fails with. */
export interface LogSubscription {
  name: string;
  logGroup: string;
  /** The functions that log there. */
  sources: string[];
  functionName: string;
  pattern: string;
  maxRetries: number;
  onFailureQueueArn: string | undefined;
}

/** Which events of AWS go to which queues. */
interface EventRule {
  pattern: Record<string, unknown>;
  queueArns: string[];
}

/** Configuration set of SES: the events that it publishes for a mail. */
interface MailConfiguration {
  name: string;
  eventTypes: string[];
}

export interface RouteToServe {
  /** `ANY` for every method. */
  method: string;
  path: string;
  functionName: string;
}

export interface BucketToRun {
  name: string;
  /** Objects under a prefix that are removed so many days after they were stored. */
  expirations: { prefix: string; days: number }[];
  /** The requests that a web page may send; its origin is not compared. */
  cors?: { methods: string[]; headers: string[] };
}

/** Resources of the templates that the local cloud runs. */
export interface Deployment {
  tables: TableToRun[];
  /** Dead-letter queues before their sources. */
  queues: QueueToRun[];
  functions: FunctionToRun[];
  queueMappings: QueueMapping[];
  streamMappings: StreamMapping[];
  rules: RateRule[];
  logSubscriptions: LogSubscription[];
  eventRules: EventRule[];
  mailConfigurations: MailConfiguration[];
  buckets: BucketToRun[];
  scheduleGroups: string[];
  routes: RouteToServe[];
}

interface Template {
  Resources: Record<string, Resource>;
  Outputs?: Record<string, { Value: unknown }>;
  Parameters?: Record<string, { Default?: unknown }>;
}

/** By stack and name, resolved when they are asked for. */
type Outputs = Map<string, () => unknown>;

interface StackToRun {
  stack: string;
  resources: [string, Resource][];
  references: References;
}

/** A resource with every reference in its properties resolved to what runs here. */
export interface ResolvedResource {
  id: string;
  name: string;
  /** Value of Ref. */
  ref: string;
  arn: string;
  properties: Record<string, unknown>;
  metadata: Record<string, unknown>;
}

export type FindResources = (type: string) => ResolvedResource[];

/** Reads the templates of a cloud assembly with every reference resolved to what runs here. */
export function readDeployment(assembly: string, servers: Servers): Deployment {
  const of = resourceFinder(assembly, servers);
  const isStream = ({ properties }: ResolvedResource) => String(properties['EventSourceArn']).includes(':dynamodb:');
  const mappings = of('AWS::Lambda::EventSourceMapping');
  return {
    tables: of('AWS::DynamoDB::Table').map(tableToRun),
    queues: of('AWS::SQS::Queue').map(queueToRun).sort(deadLettersFirst),
    functions: of('AWS::Lambda::Function').map((placed) => functionToRun(placed, assembly)),
    queueMappings: mappings.filter((placed) => !isStream(placed)).map(queueMapping),
    streamMappings: mappings.filter(isStream).map(streamMapping),
    rules: of('AWS::Events::Rule').flatMap(rateRules),
    logSubscriptions: of('AWS::Logs::SubscriptionFilter').map((filter) =>
      logSubscription(filter, of('AWS::Lambda::Function'), of('AWS::Lambda::EventInvokeConfig')),
    ),
    eventRules: of('AWS::Events::Rule').flatMap(eventRules),
    mailConfigurations: mailConfigurations(of('AWS::SES::ConfigurationSet'), of(eventDestination)),
    buckets: of('AWS::S3::Bucket').map(bucketToRun),
    scheduleGroups: of('AWS::Scheduler::ScheduleGroup').map(({ name }) => name),
    routes: of('AWS::ApiGatewayV2::Api').flatMap(routesOf),
  };
}

/** Finds the resources of a type in all templates of an assembly. */
export function resourceFinder(assembly: string, servers: Servers): FindResources {
  const outputs: Outputs = new Map();
  const stacks = readTemplates(assembly).map(([stack, template]): StackToRun => {
    const references = referencesOf(stack, template, servers, outputs);
    for (const [name, { Value }] of Object.entries(template.Outputs ?? {}))
      outputs.set(`${stack}.${name}`, () => resolve(Value, references));
    return { stack, resources: Object.entries(template.Resources), references };
  });
  return (type) =>
    stacks.flatMap(({ stack, resources, references }) =>
      resources
        .filter(([, { Type }]) => Type === type)
        .map(([id, resource]) => {
          const name = physicalName(stack, id, resource);
          const { ref, attributes } = identityOf(name, resource, servers);
          const properties = resolve(resource.Properties ?? {}, references) as Record<string, unknown>;
          return { id, name, ref, arn: attributes?.['Arn'] ?? '', properties, metadata: resource.Metadata ?? {} };
        }),
    );
}

/** Returns the templates of an assembly by the names of their stacks, each with its nested stacks' resources as if they were its own. */
export function readTemplates(assembly: string): [string, Template][] {
  const json = (file: string) => readJson(join(assembly, file));
  const artifacts = json('manifest.json').artifacts as Record<
    string,
    { type: string; properties?: { templateFile: string } }
  >;
  return Object.entries(artifacts)
    .filter(([, { type }]) => type === 'aws:cloudformation:stack')
    .map(([stack, { properties }]) => [stack, withNested(assembly, json(properties?.templateFile as string))]);
}

/** Replaces references to parameters of nested stacks with what they are given, and references to their outputs with what these are. */
function withNested(assembly: string, template: Template): Template {
  const Resources = { ...template.Resources };
  const outputs = new Map<string, unknown>();
  for (const [stackId, { Type, Metadata, Properties }] of Object.entries(template.Resources)) {
    if (Type !== 'AWS::CloudFormation::Stack') continue;
    const path = resolvePath(assembly, String(Metadata?.['aws:asset:path']));
    const nested = withNested(assembly, readJson(path));
    const given = (Properties?.['Parameters'] ?? {}) as Record<string, unknown>;
    const inner = replaced(nested, (name, argument) => (name === 'Ref' ? given[argument as string] : undefined));
    for (const [id, resource] of Object.entries(inner.Resources)) {
      if (Resources[id]) throw new Error(`a nested stack and another part of its stack both have ${id}`);
      Resources[id] = resource;
    }
    for (const [name, { Value }] of Object.entries(inner.Outputs ?? {}))
      outputs.set(`${stackId},Outputs.${name}`, Value);
  }
  const withOutputs = <Value>(value: Value): Value =>
    replaced(value, (name, argument) => {
      const output = name === 'Fn::GetAtt' ? outputs.get(String(argument)) : undefined;
      return output && withOutputs(output);
    });
  return withOutputs({ ...template, Resources });
}

const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

function referencesOf(
  stack: string,
  { Resources, Parameters = {} }: Template,
  servers: Servers,
  outputs: Outputs,
): References {
  const pseudo: Record<string, unknown> = {
    'AWS::AccountId': servers.accountId,
    'AWS::Region': servers.region,
    'AWS::Partition': 'aws',
    'AWS::URLSuffix': 'amazonaws.com',
    'AWS::StackName': stack,
    'AWS::StackId': `arn:aws:cloudformation:${servers.region}:${servers.accountId}:stack/${stack}/local`,
    'AWS::NoValue': undefined,
  };
  const identity = (id: string) => {
    const resource = Resources[id];
    if (!resource) throw new Error(`the template of ${stack} has no resource ${id}`);
    return identityOf(physicalName(stack, id, resource), resource, servers);
  };
  const references: References = {
    ref: (id) => {
      if (Object.hasOwn(pseudo, id)) return pseudo[id];
      return Parameters[id] ? Parameters[id].Default : identity(id).ref;
    },
    attribute: (id, name) => {
      const { Type, Properties } = Resources[id] ?? {};
      if (Type === 'AWS::SSM::Parameter' && name === 'Value') return resolve(Properties?.['Value'], references);
      const value = identity(id).attributes?.[name];
      if (value === undefined) throw new Error(`the local cloud has no ${name} of ${stack}/${id}`);
      return value;
    },
    stackOutput: (stackName, name) => {
      const value = outputs.get(`${stackName}.${name}`);
      if (!value) throw new Error(`${stackName} has no output ${name}`);
      return value();
    },
    condition: (name) => {
      throw new Error(`the local cloud does not evaluate conditions (${name})`);
    },
  };
  return references;
}

function tableToRun({ name, properties }: ResolvedResource): TableToRun {
  const { StreamSpecification: stream, TimeToLiveSpecification: ttl } = properties;
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes, LocalSecondaryIndexes } =
    properties as unknown as CreateTableCommandInput;
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    KeySchema,
    AttributeDefinitions,
    ...(GlobalSecondaryIndexes && { GlobalSecondaryIndexes }),
    ...(LocalSecondaryIndexes && { LocalSecondaryIndexes }),
    ...(stream ? { StreamSpecification: { StreamEnabled: true, ...stream } } : {}),
    ttlAttribute: (ttl as { AttributeName?: string } | undefined)?.AttributeName,
  };
}

function queueToRun({ name, properties }: ResolvedResource): QueueToRun {
  const { QueueName: _name, Tags: _tags, ...attributes } = properties;
  return { name, attributes };
}

const deadLettersFirst = (a: QueueToRun, b: QueueToRun) =>
  Number('RedrivePolicy' in a.attributes) - Number('RedrivePolicy' in b.attributes);

function functionToRun({ id, name, arn, properties, metadata }: ResolvedResource, assembly: string): FunctionToRun {
  const asset = metadata['aws:asset:path'];
  if (typeof asset !== 'string') throw new Error(`the template does not say where the code of ${id} is`);
  const logging = (properties['LoggingConfig'] ?? {}) as Record<'LogFormat' | 'SystemLogLevel', string | undefined>;
  const { Variables = {} } = (properties['Environment'] ?? {}) as { Variables?: Record<string, unknown> };
  return {
    name,
    arn,
    role: String(properties['Role']),
    systemLogLevel: logging.LogFormat === 'JSON' ? (logging.SystemLogLevel ?? 'INFO') : undefined,
    folder: resolvePath(assembly, asset),
    handler: String(properties['Handler']),
    environment: Object.fromEntries(Object.entries(Variables).map(([key, value]) => [key, String(value)])),
    timeoutSeconds: Number(properties['Timeout'] ?? 3),
    memoryMb: Number(properties['MemorySize'] ?? 128),
    reservedConcurrency: numberOf(properties['ReservedConcurrentExecutions']),
  };
}

function mappingOf({ id, properties }: ResolvedResource, defaultBatchSize: number): Mapping {
  const { Filters = [] } = (properties['FilterCriteria'] ?? {}) as { Filters?: { Pattern: string }[] };
  return {
    id,
    functionName: functionNameOf(String(properties['FunctionName'])),
    batchSize: Number(properties['BatchSize'] ?? defaultBatchSize),
    windowSeconds: Number(properties['MaximumBatchingWindowInSeconds'] ?? 0),
    filters: Filters.map(({ Pattern }) => JSON.parse(Pattern)),
    reportsItemFailures: ((properties['FunctionResponseTypes'] ?? []) as string[]).includes('ReportBatchItemFailures'),
  };
}

function queueMapping(placed: ResolvedResource): QueueMapping {
  const { EventSourceArn, ScalingConfig = {} } = placed.properties;
  return {
    ...mappingOf(placed, 10),
    queueArn: String(EventSourceArn),
    maxConcurrency: numberOf((ScalingConfig as { MaximumConcurrency?: unknown }).MaximumConcurrency),
  };
}

function streamMapping(placed: ResolvedResource): StreamMapping {
  const { properties } = placed;
  const { OnFailure } = (properties['DestinationConfig'] ?? {}) as { OnFailure?: { Destination: string } };
  return {
    ...mappingOf(placed, 100),
    streamArn: String(properties['EventSourceArn']),
    tableName: String(properties['EventSourceArn']).split('/')[1] as string,
    bisects: properties['BisectBatchOnFunctionError'] === true,
    maxRetries: unlimitedWhenNegative(properties['MaximumRetryAttempts']),
    maxAgeSeconds: unlimitedWhenNegative(properties['MaximumRecordAgeInSeconds']),
    onFailureQueueArn: OnFailure?.Destination,
  };
}

interface Target {
  Arn: string;
  Input?: string;
}

function rateRules({ arn, properties }: ResolvedResource): RateRule[] {
  const { ScheduleExpression, State, Targets = [] } = properties;
  if (ScheduleExpression === undefined || State === 'DISABLED') return [];
  const intervalMs = rateMs(String(ScheduleExpression));
  return (Targets as Target[]).map(({ Arn, Input }) => ({
    arn,
    functionName: functionNameOf(Arn),
    intervalMs,
    input: Input,
  }));
}

/** Default number of retries of Lambda. */
const usualRetries = 2;

interface InvokeConfig {
  MaximumRetryAttempts?: number;
  DestinationConfig?: { OnFailure?: { Destination: string } };
}

function logSubscription(
  { name, properties }: ResolvedResource,
  functions: readonly ResolvedResource[],
  configs: readonly ResolvedResource[],
): LogSubscription {
  const logGroup = properties['LogGroupName'];
  const functionName = functionNameOf(String(properties['DestinationArn']));
  const config = configs.find((one) => functionNameOf(String(one.properties['FunctionName'])) === functionName);
  const { MaximumRetryAttempts = usualRetries, DestinationConfig }: InvokeConfig = config?.properties ?? {};
  const logsThere = (one: ResolvedResource) =>
    (one.properties['LoggingConfig'] as { LogGroup?: unknown } | undefined)?.LogGroup === logGroup;
  return {
    name,
    logGroup: String(logGroup),
    sources: functions.filter(logsThere).map((one) => one.name),
    functionName,
    pattern: String(properties['FilterPattern']),
    maxRetries: MaximumRetryAttempts,
    onFailureQueueArn: DestinationConfig?.OnFailure?.Destination,
  };
}

function eventRules({ name, properties }: ResolvedResource): EventRule[] {
  const { EventPattern, State, Targets = [] } = properties;
  if (EventPattern === undefined || State === 'DISABLED') return [];
  const queueArns = (Targets as Target[]).map(({ Arn }) => Arn);
  if (queueArns.some((target) => !target.includes(':sqs:')))
    throw new Error(`${name} has a target that is no queue, which the local system does not reach`);
  return [{ pattern: EventPattern as Record<string, unknown>, queueArns }];
}

const eventDestination = 'AWS::SES::ConfigurationSetEventDestination';

interface EventDestination {
  Enabled?: boolean;
  MatchingEventTypes: string[];
  EventBridgeDestination?: object;
}

const mailConfigurations = (
  sets: readonly ResolvedResource[],
  destinations: readonly ResolvedResource[],
): MailConfiguration[] =>
  sets.map(({ ref }) => ({
    name: ref,
    eventTypes: destinations
      .filter(({ properties }) => properties['ConfigurationSetName'] === ref)
      .map(({ properties }) => properties['EventDestination'] as EventDestination)
      .filter(({ Enabled, EventBridgeDestination }) => Enabled !== false && EventBridgeDestination !== undefined)
      .flatMap(({ MatchingEventTypes }) => MatchingEventTypes),
  }));

function rateMs(expression: string): number {
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  const unitMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 }[unit as 'minute'];
  if (!unitMs) throw new Error(`the local cloud does not know the schedule ${expression}`);
  return Number(count) * unitMs;
}

const anyMethod = 'x-amazon-apigateway-any-method';

interface Integration {
  uri: string;
}

interface Operation {
  'x-amazon-apigateway-integration': Integration | { $ref: string };
}

interface ApiBody {
  paths?: Record<string, Record<string, unknown>>;
  components?: { 'x-amazon-apigateway-integrations': Record<string, Integration> };
}

function routesOf({ properties }: ResolvedResource): RouteToServe[] {
  const { paths = {}, components } = (properties['Body'] ?? {}) as ApiBody;
  const integrationOf = (operation: Operation): Integration => {
    const integration = operation['x-amazon-apigateway-integration'];
    if ('uri' in integration) return integration;
    const name = String(integration.$ref.split('/').at(-1));
    const shared = components?.['x-amazon-apigateway-integrations'][name];
    if (shared === undefined) throw new Error(`no integration is called ${name}`);
    return shared;
  };
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([method]) => method !== 'parameters')
      .map(([method, operation]) => {
        const { uri } = integrationOf(operation as Operation);
        const served = method === anyMethod ? 'ANY' : method.toUpperCase();
        return { method: served, path, functionName: functionNameOf(uri) };
      }),
  );
}

/** From the name itself, an ARN or an invocation URI. */
function functionNameOf(reference: string): string {
  return /:function:([^:/]+)/.exec(reference)?.[1] ?? reference;
}

interface LifecycleRule {
  Status: string;
  Prefix?: string;
  ExpirationInDays?: number;
}

interface CorsRule {
  AllowedMethods: string[];
  AllowedHeaders?: string[];
}

function bucketToRun({ ref: name, properties }: ResolvedResource): BucketToRun {
  const { Rules = [] } = (properties['LifecycleConfiguration'] ?? {}) as { Rules?: LifecycleRule[] };
  const expirations = Rules.filter(({ Status }) => Status === 'Enabled').map(
    ({ Prefix: prefix = '', ExpirationInDays: days, ...more }) => {
      const others = Object.keys(more).filter((key) => key !== 'Status' && key !== 'Id');
      if (days === undefined || others.length > 0)
        throw new Error(
          `${name} has a rule that is not about a prefix and days, which the local system does not follow`,
        );
      return { prefix, days };
    },
  );
  const { CorsRules: [rule] = [] } = (properties['CorsConfiguration'] ?? {}) as { CorsRules?: CorsRule[] };
  const cors = rule && { methods: rule.AllowedMethods, headers: rule.AllowedHeaders ?? [] };
  return { name, expirations, ...(cors && { cors }) };
}

const numberOf = (value: unknown) => (value === undefined ? undefined : Number(value));
const unlimitedWhenNegative = (value: unknown) =>
  value === undefined || Number(value) < 0 ? Number.POSITIVE_INFINITY : Number(value);
