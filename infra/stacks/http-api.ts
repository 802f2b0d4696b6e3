import { ArnFormat, CfnOutput, type CfnResource, type NestedStack, type Stack } from 'aws-cdk-lib';
import { CfnApi, CfnStage } from 'aws-cdk-lib/aws-apigatewayv2';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Role } from 'aws-cdk-lib/aws-iam';
import type { Route } from '#lib/http/route.ts';
import type { Alarms } from './alarms.ts';
import { createDomain, type DomainSettings } from './domain.ts';
import { createLog } from './functions.ts';
import type { MetricOf } from './metrics.ts';
import { createRole } from './role.ts';

/** Metrics that API Gateway measures. */
export type HttpMetric = 'Count' | '4xx' | '5xx' | 'Latency';

export interface Endpoint {
  route: Route;
  functionName: string;
  /** Where the function is. */
  stack: NestedStack;
}

export interface HttpApiSettings extends DomainSettings {
  requestsPerSecond: number;
}

/**
 * The HTTP API in front of the endpoints: one API resource whatever the number of routes. Requests beyond so many a second, of all
 * callers together, API Gateway answers with a 429 of its own. Returns what it measures.
 */
export function createHttpApi(
  stack: Stack,
  endpoints: readonly Endpoint[],
  alarms: Alarms,
  { requestsPerSecond, ...domain }: HttpApiSettings,
): MetricOf<HttpMetric> {
  const role = createInvokeRole(stack);
  const api = new CfnApi(stack, 'HttpApi', { body: openApiBody(stack, endpoints, role) });
  // It knows functions by their names; no request may reach a route before its function is there.
  for (const nested of new Set(endpoints.map((endpoint) => endpoint.stack)))
    api.addResourceDependency(nested.nestedStackResource as CfnResource);
  // API Gateway writes each group of another name into one policy of the account, which is full after a few.
  const log = createLog(stack, 'HttpApi', `/aws/vendedlogs/${stack.stackName}`);
  const stage = new CfnStage(stack, 'HttpApiStage', {
    apiId: api.ref,
    stageName: '$default',
    autoDeploy: true,
    defaultRouteSettings: {
      throttlingRateLimit: requestsPerSecond,
      throttlingBurstLimit: Math.ceil(requestsPerSecond / 2),
    },
    accessLogSettings: { destinationArn: log.logGroupArn, format: accessLogFormat },
  });
  createDomain(stack, { api, stage }, domain);
  const dimensionsMap = { ApiId: api.ref };
  const metric: MetricOf<HttpMetric> = (metricName, statistic) =>
    new Metric({ namespace: 'AWS/ApiGateway', metricName, statistic, dimensionsMap });
  const serverErrors = alarms.add(api, 'ServerErrors', {
    metric: metric('5xx', Stats.SUM),
    threshold: 5,
    description: 'The API answered more than 5 requests of one minute with a 5xx',
  });
  // `npm run admin -- deployment guard --stack` makes CloudFormation watch this alarm.
  new CfnOutput(stack, 'GuardAlarm', { value: serverErrors.alarmArn });
  new CfnOutput(stack, 'ApiUrl', { value: api.attrApiEndpoint });
  return metric;
}

function createInvokeRole(stack: Stack): Role {
  const named = (pattern: string) => functionArn(stack, `${stack.stackName}-${pattern}`);
  return createRole(stack, 'HttpApiRole', 'apigateway.amazonaws.com', [
    {
      actions: ['lambda:InvokeFunction'],
      resources: [named('*')],
      wildcard: 'The functions of this stack; the ARNs of all endpoints are more than an inline policy holds',
    },
    {
      actions: ['lambda:InvokeFunction'],
      resources: [named('Workers*')],
      isDenied: true,
      wildcard: 'What queues, streams and rules start is not for callers',
    },
  ]);
}

const functionArn = (stack: Stack, resourceName: string) =>
  stack.formatArn({ service: 'lambda', resource: 'function', resourceName, arnFormat: ArnFormat.COLON_RESOURCE_NAME });

const anyMethod = 'x-amazon-apigateway-any-method';

type Paths = Record<string, Record<string, unknown>>;

function openApiBody(stack: Stack, endpoints: readonly Endpoint[], role: Role) {
  const paths: Paths = {};
  const integrations: Record<string, unknown> = {};
  for (const { route, functionName } of endpoints) {
    integrations[functionName] = {
      type: 'aws_proxy',
      httpMethod: 'POST',
      payloadFormatVersion: '2.0',
      uri: `arn:${stack.partition}:apigateway:${stack.region}:lambda:path/2015-03-31/functions/${functionArn(stack, functionName)}/invocations`,
      credentials: role.roleArn,
    };
    // An API has at most 300 integrations, so the routes of a function share one.
    const shared = { $ref: `#/components/x-amazon-apigateway-integrations/${functionName}` };
    const operation = { responses: {}, 'x-amazon-apigateway-integration': shared };
    for (const path of [route.path, ...(route.alsoAt ?? [])]) {
      paths[path] ??= parametersOf(path);
      Object.assign(
        paths[path],
        route.method === 'ANY'
          ? { [anyMethod]: { ...operation, isDefaultRoute: path === '$default' } }
          : Object.fromEntries(methodsOf(route).map((method) => [method, operation])),
      );
    }
  }
  return {
    openapi: '3.0.1',
    info: { title: stack.stackName, version: '1' },
    paths: withShadowed(paths),
    components: { 'x-amazon-apigateway-integrations': integrations },
  };
}

/** Returns the methods of a route: public GET routes also answer HEAD, where API Gateway leaves the body out. */
const methodsOf = ({ method, scope }: Route) =>
  method === 'GET' && scope === 'public' ? ['get', 'head'] : [method.toLowerCase()];

// GET /v1/contacts/batch must not become the contact called batch: every other method of such a path is the fallback's, which
// answers 405.
function withShadowed(paths: Paths): Paths {
  const templates = Object.keys(paths);
  const any = paths['$default']?.[anyMethod] as { isDefaultRoute?: boolean } | undefined;
  if (!any) return paths;
  // A greedy template is that of files, where any other path is 404: an API has at most 300 routes.
  const isCaughtBy = (path: string, template: string) => {
    const segments = path.split('/');
    const parts = template.split('/');
    const isLike = parts.length === segments.length && !template.endsWith('+}');
    return template !== path && isLike && parts.every((part, at) => part.startsWith('{') || part === segments[at]);
  };
  const { isDefaultRoute: _, ...fallback } = any;
  for (const path of templates) {
    if (templates.some((template) => isCaughtBy(path, template)))
      Object.assign(paths[path] as object, { [anyMethod]: fallback });
  }
  return paths;
}

function parametersOf(path: string): Record<string, unknown> {
  const names = [...path.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1]);
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
