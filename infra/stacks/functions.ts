import { join } from 'node:path';
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { type IRole, type PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Architecture, type CfnFunction, Code, Function as Lambda, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { FunctionFile } from '#infra/functions.ts';
import type { Need } from '#lib/queues.ts';
import { pascalCase } from '../names.ts';
import type { Alarms } from './alarms.ts';
import { baseGrant, grantsOf, type Resources } from './needs.ts';
import { policy, statement } from './policy.ts';

export interface FunctionSettings extends FunctionFile {
  summary: string;
  needs: readonly Need[];
  timeoutSeconds: number;
  memoryMb: number;
}

/** What functions of one domain share: their log and the role they run with. */
interface Shared {
  logGroup: LogGroup;
  role: IRole;
}

/** What all functions of a stack are made with. */
export interface Deployment {
  scope: Construct;
  resources: Resources;
  /** Operator settings. */
  environment: Record<string, string>;
  /** The folder that holds one folder per function. */
  bundles: string;
  alarms: Alarms;
}

/** Functions that share one log and one role, which may do what their needs say and nothing else. */
export function createFunctions(
  { scope, resources, environment, bundles }: Deployment,
  domain: string,
  functions: readonly FunctionSettings[],
  more: PolicyStatement[] = [],
): Lambda[] {
  const needs = [...new Set(functions.flatMap((of) => of.needs))].sort();
  const statements = [baseGrant(resources), ...grantsOf(needs, resources)].flatMap((grant) => grant.statements);
  const shared = createShared(scope, pascalCase(domain), [...statements, ...more]);
  return functions.map((of) => {
    const grants = [baseGrant(resources), ...grantsOf(of.needs, resources)];
    const variables = Object.assign({}, environment, ...grants.map((grant) => grant.environment));
    return createFunction(scope, of, shared, variables, bundles);
  });
}

function createShared(scope: Construct, id: string, statements: PolicyStatement[]): Shared {
  const logGroup = new LogGroup(scope, `${id}Log`, {
    retention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  const write = statement(['logs:CreateLogStream', 'logs:PutLogEvents'], [logGroup.logGroupArn]);
  const role = new Role(scope, `${id}Role`, {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    inlinePolicies: policy(write, ...statements),
  });
  return { logGroup, role: role.withoutPolicyUpdates() };
}

function createFunction(
  scope: Construct,
  { name, summary, timeoutSeconds, memoryMb }: FunctionSettings,
  { logGroup, role }: Shared,
  environment: Record<string, string>,
  bundles: string,
): Lambda {
  const id = pascalCase(name);
  const lambda = new Lambda(scope, id, {
    description: summary,
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    code: Code.fromAsset(join(bundles, name)),
    handler: 'index.handler',
    memorySize: memoryMb,
    timeout: Duration.seconds(timeoutSeconds),
    tracing: Tracing.ACTIVE,
    environment: { NODE_OPTIONS: '--enable-source-maps', ...environment },
    logGroup,
    role,
  });
  (lambda.node.defaultChild as CfnFunction).overrideLogicalId(id);
  return lambda;
}
