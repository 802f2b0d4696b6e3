import { join } from 'node:path';
import { Duration, RemovalPolicy, Size, type Stack } from 'aws-cdk-lib';
import { type IRole, Role } from 'aws-cdk-lib/aws-iam';
import {
  Architecture,
  type CfnFunction,
  Code,
  Function as Lambda,
  LoggingFormat,
  Runtime,
  SystemLogLevel,
  Tracing,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { LoadedFunction } from '#infra/functions.ts';
import { pascalCase } from '../names.ts';
import type { Alarms } from './alarms.ts';
import { baseGrant, grantsOf, type Resources } from './needs.ts';
import { createRole, type Permission } from './role.ts';
import { rowPermissions } from './rows.ts';

export interface FunctionSettings extends LoadedFunction {
  /** CloudFormation makes one up without it. */
  functionName?: string;
  summary: string;
  timeoutSeconds: number;
  memoryMb: number;
  diskMb?: number;
  reservedConcurrency?: number | undefined;
}

/** Settings that the functions of one domain share: log, role, and tracing. */
interface Shared {
  logGroup: LogGroup;
  loggingFormat: LoggingFormat;
  systemLogLevelV2?: SystemLogLevel;
  role: IRole;
  tracing: Tracing;
}

/** Settings of all functions of a stack. */
export interface Deployment {
  stack: Stack;
  resources: Resources;
  /** Operator settings. */
  environment: Record<string, string>;
  /** The folder that holds one folder per function. */
  bundles: string;
  alarms: Alarms;
  /** One of all endpoints and one of all workers: in each the name of a stream is the function's. */
  logs: Record<Kind, LogGroup>;
  accountConcurrency: number;
  slowConcurrency: number | undefined;
}

type Kind = 'endpoint' | 'worker';

interface Common {
  kind: Kind;
  more?: Permission[];
}

/** Functions that share one role, which may do what their needs say and nothing else. */
export function createFunctions(
  { stack, resources, environment, bundles, logs }: Deployment,
  domain: string,
  functions: readonly FunctionSettings[],
  { kind, more = [] }: Common,
): Lambda[] {
  const needs = [...new Set(functions.flatMap((of) => of.needs))].sort();
  const permissions = [baseGrant(resources), ...grantsOf(needs, resources)].flatMap((grant) => grant.permissions);
  const rows = rowPermissions(kind, needs, resources.table);
  const role = createFixedRole(stack, pascalCase(domain), logs[kind], [...permissions, ...rows, ...more]);
  const tracing = resources.isTraced ? Tracing.ACTIVE : Tracing.PASS_THROUGH;
  const shared = { logGroup: logs[kind], role, tracing, ...logging[kind] };
  return functions.map((of) => {
    const grants = [baseGrant(resources), ...grantsOf(of.needs, resources)];
    const variables = Object.assign({}, settingsOf(kind, environment), ...grants.map((grant) => grant.environment));
    return createFunction(stack, of, shared, variables, bundles);
  });
}

/** The proxies may be dozens of ranges, and workers are behind none. */
function settingsOf(kind: Kind, { TRUSTED_PROXIES, ...others }: Record<string, string>): Record<string, string> {
  return kind === 'endpoint' && TRUSTED_PROXIES !== undefined ? { ...others, TRUSTED_PROXIES } : others;
}

export const createLog = (stack: Stack, id: string, logGroupName?: string) =>
  new LogGroup(stack, `${id}Log`, {
    retention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.DESTROY,
    ...(logGroupName && { logGroupName }),
  });

/** Log formats by kind. A metric filter reads how Lambda reports a failed invocation of a worker (failures.ts). */
const logging = {
  endpoint: { loggingFormat: LoggingFormat.TEXT },
  worker: { loggingFormat: LoggingFormat.JSON, systemLogLevelV2: SystemLogLevel.WARN },
} satisfies Record<Kind, Partial<Shared>>;

function createFixedRole(stack: Stack, id: string, logGroup: LogGroup, permissions: Permission[]): IRole {
  const write = { actions: ['logs:CreateLogStream', 'logs:PutLogEvents'], resources: [logGroup.logGroupArn] };
  const { roleArn } = createRole(stack, `${id}Role`, 'lambda.amazonaws.com', [write, ...permissions]);
  // Known by its ARN alone, so that no construct adds to its policy.
  return Role.fromRoleArn(stack, `${id}FixedRole`, roleArn, { mutable: false });
}

function createFunction(
  stack: Stack,
  { name, functionName, summary, timeoutSeconds, memoryMb, diskMb, reservedConcurrency }: FunctionSettings,
  shared: Shared,
  environment: Record<string, string>,
  bundles: string,
): Lambda {
  const id = pascalCase(name);
  const lambda = new Lambda(stack, id, {
    ...(functionName && { functionName }),
    description: summary,
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    code: Code.fromAsset(join(bundles, name)),
    handler: 'index.handler',
    memorySize: memoryMb,
    ...(diskMb && { ephemeralStorageSize: Size.mebibytes(diskMb) }),
    timeout: Duration.seconds(timeoutSeconds),
    ...(reservedConcurrency && { reservedConcurrentExecutions: reservedConcurrency }),
    environment: { NODE_OPTIONS: '--enable-source-maps', ...environment },
    ...shared,
  });
  (lambda.node.defaultChild as CfnFunction).overrideLogicalId(id);
  return lambda;
}
