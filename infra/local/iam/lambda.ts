import { AwsError } from '../aws-error.ts';
import type { Iam } from '../iam.ts';
import type { Home } from '../template/identities.ts';
import type { Deployment } from '../template.ts';

type Route = Deployment['routes'][number];

/** What Lambda, and what invokes functions by itself, ask leave for. Each throws when it may not. */
export interface Leaves {
  /** Lambda takes the function's role, with which it logs and traces. */
  run(functionName: string): void;
  /** API Gateway invokes with the role that the route names. */
  route(route: Route): void;
  rule(ruleArn: string, functionName: string): void;
  log(logGroup: string, functionName: string): void;
}

const readsQueue = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes'];
const readsStream = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'];

/** Throws, as Lambda refuses a mapping, when the role of its function may not read the source. */
export function leavesOf(iam: Iam, { accountId, region }: Home, deployment: Deployment): Leaves {
  const functions = new Map(deployment.functions.map((one) => [one.name, one]));
  const arnOf = (name: string) => functions.get(name)?.arn ?? '';
  const logs = (group: string) => `arn:aws:logs:${region}:${accountId}:log-group:${group}`;
  for (const { functionName, queueArn } of deployment.queueMappings)
    for (const action of readsQueue) requireSource(iam, functionName, 'SQS', `sqs:${action}`, queueArn);
  for (const { functionName, streamArn } of deployment.streamMappings)
    for (const action of readsStream) requireSource(iam, functionName, 'Streams', `dynamodb:${action}`, streamArn);
  const haveRun = new Set<string>();
  return {
    run(name) {
      if (haveRun.has(name)) return;
      const { role, logGroup, isTraced, arn } = functions.get(name) ?? {};
      if (role === undefined || arn === undefined) return;
      iam.requireOfService('lambda.amazonaws.com', 'sts:AssumeRole', role, arn);
      for (const action of ['CreateLogStream', 'PutLogEvents'])
        iam.requireOf(name, `logs:${action}`, `${logs(logGroup ?? '')}:log-stream:${name}`);
      if (isTraced)
        for (const action of ['PutTraceSegments', 'PutTelemetryRecords']) iam.requireOf(name, `xray:${action}`, '*');
      haveRun.add(name);
    },
    route({ credentials, functionName, path }) {
      if (credentials === undefined) throw new Error(`the route ${path} names no role`);
      const source = `arn:aws:execute-api:${region}:${accountId}:api/$default`;
      iam.requireOfRole('apigateway.amazonaws.com', credentials, 'lambda:InvokeFunction', arnOf(functionName), source);
    },
    rule: (ruleArn, name) =>
      iam.requireOfService('events.amazonaws.com', 'lambda:InvokeFunction', arnOf(name), ruleArn),
    log: (group, name) =>
      iam.requireOfService('logs.amazonaws.com', 'lambda:InvokeFunction', arnOf(name), `${logs(group)}:*`),
  };
}

function requireSource(iam: Iam, functionName: string, service: string, action: string, source: string): void {
  try {
    iam.requireOf(functionName, action, source);
  } catch {
    const [, operation] = action.split(':');
    throw new AwsError(
      'InvalidParameterValueException',
      `${functionName}: The provided execution role does not have permissions to call ${operation} on ${service}`,
    );
  }
}
