import { NestedStack, type Stack } from 'aws-cdk-lib';
import type { RouteFunction } from '#infra/functions.ts';
import { pascalCase } from '#infra/names.ts';
import { defaultTimeoutSeconds } from '#lib/core/timeouts.ts';
import { reservedOf } from './concurrency.ts';
import { createFunctions, type Deployment, type FunctionSettings } from './functions.ts';
import type { Endpoint } from './http-api.ts';

/**
 * The nested stacks of nouns; all other nouns are in Records. A deployed noun keeps its stack: CloudFormation creates its functions in
 * the new stack before it removes the ones with the same names from the old stack, and fails.
 */
const nounsOf: Record<string, readonly string[]> = {
  Channels: ['agents', 'email', 'files', 'hooks', 'messages', 'sequences', 'telegram', 'twitter'],
  Workspace: [
    ...['audit-events', 'events', 'fallback', 'health', 'jobs', 'keys', 'mcp', 'me', 'members', 'openapi'],
    ...['request-logs', 'webhooks'],
  ],
  Panel: ['panel'],
};

const stackOf = ({ domain }: RouteFunction) =>
  Object.keys(nounsOf).find((name) => nounsOf[name]?.includes(domain)) ?? 'Records';

/** Creates the functions of all endpoints, each in the nested stack of its noun. */
export function createEndpoints(deployment: Deployment, routes: readonly RouteFunction[]): Endpoint[] {
  const reserved = reservedOf(deployment, routes.filter(({ route }) => route.isSlow).length);
  return [...Map.groupBy(routes, stackOf)].flatMap(([name, files]) => {
    const nouns = [...new Set(files.map(({ domain }) => domain))].join(', ');
    const stack = new NestedStack(deployment.stack, name, {
      description: `CRM API: endpoints of ${nouns}`,
      suppressTemplateIndentation: true,
    });
    // No two roles of all stacks have one name: infra/local/template.ts reads them as one stack.
    const sharing = Map.groupBy(files, (file) => roleOf(file) ?? `read-${name}`);
    return [...sharing].flatMap(([role, functions]) => {
      const named = functions.map((file) => ({
        ...endpointSettings(file, reserved),
        ...nameOf(file, deployment.stack),
      }));
      createFunctions({ ...deployment, stack }, role, named, { kind: 'endpoint' });
      return functions.map((file) => ({ route: file.route, stack, ...nameOf(file, deployment.stack) }));
    });
  });
}

/** CloudFormation would begin it with the name of the nested stack, whose functions HttpApiRole may not invoke. */
const nameOf = ({ name }: RouteFunction, { stackName }: Stack) => ({
  functionName: `${stackName}-${pascalCase(name)}`,
});

/** Endpoints of one domain share a role; those that only read and need nothing else share the one of their group. */
function roleOf(file: RouteFunction): string | undefined {
  if (commits(file)) return file.domain;
  return file.needs.length === 0 ? undefined : `${file.domain}-read`;
}

const commits = ({ route, needs }: RouteFunction) => !['GET', 'ANY'].includes(route.method) || needs.includes('commit');

const endpointSettings = ({ route, ...file }: RouteFunction, reserved: number | undefined): FunctionSettings => ({
  ...file,
  needs: commits({ route, ...file }) ? [...file.needs, 'commit'] : file.needs,
  summary: route.summary,
  timeoutSeconds: route.timeoutSeconds ?? defaultTimeoutSeconds,
  memoryMb: route.memoryMb ?? 512,
  ...(route.isSlow && { reservedConcurrency: reserved }),
});
