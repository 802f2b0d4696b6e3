import { join } from 'node:path';
import { Duration, RemovalPolicy, Size, type Stack } from 'aws-cdk-lib';
import { type IRole, Role } from 'aws-cdk-lib/aws-iam';
import { Architecture, type CfnFunction, Code, Function as Lambda, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { CfnSamplingRule } from 'aws-cdk-lib/aws-xray';
import type { LoadedFunction } from '#infra/functions.ts';
import { pascalCase } from '../names.ts';
import type { Alarms } from './alarms.ts';
import { baseGrant, grantsOf, type Resources } from './needs.ts';
import { createRole, type Permission } from './role.ts';
import { rowPermissions } from './rows.ts';

export interface FunctionSettings extends LoadedFunction {
  summary: string;
  timeoutSeconds: number;
  memoryMb: number;
  diskMb?: number;
}

/** What functions of one domain share: the log, which may be that of others too, and the role they run with. */
interface Shared {
  logGroup: LogGroup;
  role: IRole;
}

/** What all functions of a stack are made with. */
export interface Deployment {
  stack: Stack;
  resources: Resources;
  /** Operator settings. */
  environment: Record<string, string>;
  /** The folder that holds one folder per function. */
  bundles: string;
  alarms: Alarms;
  /** Of all endpoints. */
  apiLog: LogGroup;
  accountConcurrency: number;
}

interface Common {
  kind: 'endpoint' | 'worker';
  /** Their own unless given. */
  log?: LogGroup;
  more?: Permission[];
}

/** Functions that share one role, which may do what their needs say and nothing else, and one log. */
export function createFunctions(
  { stack, resources, environment, bundles }: Deployment,
  domain: string,
  functions: readonly FunctionSettings[],
  { kind, log = createLog(stack, pascalCase(domain)), more = [] }: Common,
): Lambda[] {
  const needs = [...new Set(functions.flatMap((of) => of.needs))].sort();
  const permissions = [baseGrant(resources), ...grantsOf(needs, resources)].flatMap((grant) => grant.permissions);
  const rows = rowPermissions(kind, needs, resources.table);
  const shared = createShared(stack, pascalCase(domain), log, [...permissions, ...rows, ...more]);
  return functions.map((of) => {
    const grants = [baseGrant(resources), ...grantsOf(of.needs, resources)];
    const variables = Object.assign({}, environment, ...grants.map((grant) => grant.environment));
    return createFunction(stack, of, shared, variables, bundles);
  });
}

/** Of what the stack does X-Ray keeps a twentieth: by default it keeps one invocation of each function in a second, which is all of most. */
export const sampleTraces = (stack: Stack) =>
  new CfnSamplingRule(stack, 'Traces', {
    samplingRule: {
      ruleName: stack.stackName,
      priority: 1000,
      fixedRate: 0.05,
      reservoirSize: 0,
      serviceName: `${stack.stackName}-*`,
      serviceType: '*',
      host: '*',
      httpMethod: '*',
      urlPath: '*',
      resourceArn: '*',
      version: 1,
    },
  });

export const createLog = (stack: Stack, id: string) =>
  new LogGroup(stack, `${id}Log`, { retention: RetentionDays.ONE_MONTH, removalPolicy: RemovalPolicy.DESTROY });

function createShared(stack: Stack, id: string, logGroup: LogGroup, permissions: Permission[]): Shared {
  const write = { actions: ['logs:CreateLogStream', 'logs:PutLogEvents'], resources: [logGroup.logGroupArn] };
  const { roleArn } = createRole(stack, `${id}Role`, 'lambda.amazonaws.com', [write, ...permissions]);
  // Known by its ARN alone, so that no construct adds to its policy.
  return { logGroup, role: Role.fromRoleArn(stack, `${id}FixedRole`, roleArn, { mutable: false }) };
}

function createFunction(
  stack: Stack,
  { name, summary, timeoutSeconds, memoryMb, diskMb }: FunctionSettings,
  { logGroup, role }: Shared,
  environment: Record<string, string>,
  bundles: string,
): Lambda {
  const id = pascalCase(name);
  const lambda = new Lambda(stack, id, {
    description: summary,
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    code: Code.fromAsset(join(bundles, name)),
    handler: 'index.handler',
    memorySize: memoryMb,
    ...(diskMb && { ephemeralStorageSize: Size.mebibytes(diskMb) }),
    timeout: Duration.seconds(timeoutSeconds),
    tracing: Tracing.ACTIVE,
    environment: { NODE_OPTIONS: '--enable-source-maps', ...environment },
    logGroup,
    role,
  });
  (lambda.node.defaultChild as CfnFunction).overrideLogicalId(id);
  return lambda;
}
