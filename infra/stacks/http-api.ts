import { ArnFormat, CfnOutput, RemovalPolicy, type Stack } from 'aws-cdk-lib';
import { CfnApi, CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Role } from 'aws-cdk-lib/aws-iam';
import type { Function as Lambda } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Route } from '#lib/http/route.ts';
import type { Alarms } from './alarms.ts';
import { createRole } from './role.ts';

export interface Endpoint {
  route: Route;
  lambda: Lambda;
}

/** The HTTP API in front of the endpoints: one API resource whatever the number of routes. */
export function createHttpApi(stack: Stack, endpoints: readonly Endpoint[], alarms: Alarms): void {
  const role = createInvokeRole(stack);
  const api = new CfnApi(stack, 'HttpApi', { body: openApiBody(stack, endpoints, role) });
  const log = new LogGroup(stack, 'HttpApiLog', {
    retention: RetentionDays.ONE_MONTH,
    removalPolicy: RemovalPolicy.DESTROY,
  });
  new CfnStage(stack, 'HttpApiStage', {
    apiId: api.ref,
    stageName: '$default',
    autoDeploy: true,
    defaultRouteSettings: { throttlingBurstLimit: 1000, throttlingRateLimit: 2000, detailedMetricsEnabled: true },
    accessLogSettings: { destinationArn: log.logGroupArn, format: accessLogFormat },
  });
  alarms.add(api, 'ServerErrors', {
    metric: new Metric({
      namespace: 'AWS/ApiGateway',
      metricName: '5xx',
      dimensionsMap: { ApiId: api.ref },
      statistic: Stats.SUM,
    }),
    threshold: 5,
    description: 'The API answered more than 5 requests of one minute with a 5xx',
  });
  new CfnOutput(stack, 'ApiUrl', { value: api.attrApiEndpoint });
}

function createInvokeRole(stack: Stack): Role {
  const functions = stack.formatArn({
    service: 'lambda',
    resource: 'function',
    resourceName: `${stack.stackName}-*`,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  return createRole(stack, 'HttpApiRole', 'apigateway.amazonaws.com', [
    {
      actions: ['lambda:InvokeFunction'],
      resources: [functions],
      wildcard: 'The functions of this stack; the ARNs of 110 are more than an inline policy holds',
    },
  ]);
}

function openApiBody(stack: Stack, endpoints: readonly Endpoint[], role: Role) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { route, lambda } of endpoints) {
    const integration = {
      type: 'aws_proxy',
      httpMethod: 'POST',
      payloadFormatVersion: '2.0',
      uri: `arn:${stack.partition}:apigateway:${stack.region}:lambda:path/2015-03-31/functions/${lambda.functionArn}/invocations`,
      credentials: role.roleArn,
    };
    const operation = { responses: {}, 'x-amazon-apigateway-integration': integration };
    paths[route.path] ??= parametersOf(route.path);
    Object.assign(
      paths[route.path] as object,
      route.method === 'ANY'
        ? { 'x-amazon-apigateway-any-method': { ...operation, isDefaultRoute: route.path === '$default' } }
        : { [route.method.toLowerCase()]: operation },
    );
  }
  return { openapi: '3.0.1', info: { title: stack.stackName, version: '1' }, paths };
}

function parametersOf(path: string): Record<string, unknown> {
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1]);
  if (names.length === 0) return {};
  return { parameters: names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })) };
}

const accessLogFormat = JSON.stringify({
  requestId: '$context.requestId',
  time: '$context.requestTime',
  ip: '$context.identity.sourceIp',
  userAgent: '$context.identity.userAgent',
  route: '$context.routeKey',
  path: '$context.path',
  status: '$context.status',
  responseBytes: '$context.responseLength',
  responseMs: '$context.responseLatency',
  integrationError: '$context.integrationErrorMessage',
});
