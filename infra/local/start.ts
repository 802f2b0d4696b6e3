import { join } from 'node:path';
import { buildAssembly } from './build.ts';
import { type Cloud, home, startCloud } from './cloud.ts';
import { createDataDir, type DemoFile, environmentOf, readDemoFile, writeDemoFile, writeSystemFile } from './files.ts';
import { type HttpApi, startHttpApi } from './http.ts';
import { lockFolder } from './lock.ts';
import { readOptions, type StartOptions } from './options.ts';
import { StartProblem } from './problem.ts';
import { onStop } from './stop.ts';
import type { Deployment } from './template.ts';
import { watchKillRequests, watchSources } from './watch.ts';

// As on Lambda.
process.env.TZ = 'UTC';

const say = (line: string) => process.stdout.write(`${line}\n`);
const report = (text: string) => process.stderr.write(`${text}\n`);

function fail(error: unknown): never {
  report(error instanceof StartProblem ? error.message : String((error as Error).stack ?? error));
  process.exit(1);
}

async function start(options: StartOptions): Promise<void> {
  const { dataDir } = options;
  createDataDir(dataDir);
  lockFolder(dataDir);
  const api = await listen(options);
  let cloud: Cloud | undefined;
  onStop(async () => cloud?.close());

  const assembly = buildAssembly(options.settings);
  // Looked at below; a build that fails earlier must not count as unhandled.
  assembly.catch(() => {});
  say(`starting the CRM API; its data are in ${dataDir}`);
  cloud = await startCloud({ ...options, api, report, onEngineLost: fail });
  const deployment = await cloud.deploy(await assembly);
  for (const line of summary(deployment, cloud)) say(line);

  const env = environmentOf(deployment, cloud.sdkEnvironment);
  writeSystemFile(dataDir, { pid: process.pid, baseUrl: api.url, env });
  const demo = await ensureDemo(options, api.url, env);
  if (demo?.liveKey) say(`demo keys: live ${demo.liveKey}, test ${demo.testKey}`);
  watchKillRequests(join(dataDir, 'kill'), cloud.kill);
  if (options.watches) watchSources(() => redeploy(options, cloud));
  say(`ready ${api.url}`);
}

async function listen({ host, port }: StartOptions): Promise<HttpApi> {
  try {
    return await startHttpApi({ host, port, accountId: home.accountId });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new StartProblem(
      code === 'EADDRINUSE' ? `port ${port} of ${host} is taken: choose another with PORT` : message,
    );
  }
}

const summary = (deployment: Deployment, { sdkEnvironment }: Cloud) => [
  `DynamoDB at ${sdkEnvironment.AWS_ENDPOINT_URL_DYNAMODB}, ${deployment.queues.length} queues at ${sdkEnvironment.AWS_ENDPOINT_URL_SQS}`,
  `${deployment.functions.length} functions for ${deployment.routes.length} routes, ${deployment.queueMappings.length} queue and ${deployment.streamMappings.length} stream mappings and ${deployment.rules.length} rules`,
];

/** Makes the demo workspace at the first start. Returns it only then. */
async function ensureDemo({ dataDir, isEmpty }: StartOptions, baseUrl: string, env: Record<string, string>) {
  const existing = readDemoFile(dataDir);
  if (existing || isEmpty) return writeDemoFile(dataDir, { ...existing, baseUrl });
  Object.assign(process.env, env);
  const { createDemo } = await import('./demo.ts');
  const demo: DemoFile = { baseUrl, ...(await createDemo()) };
  writeDemoFile(dataDir, demo);
  return demo;
}

async function redeploy({ settings }: StartOptions, cloud: Cloud): Promise<void> {
  try {
    await cloud.deploy(await buildAssembly(settings));
    say('the change is deployed');
  } catch (error) {
    report(`the change is not deployed: ${(error as Error).message}`);
  }
}

try {
  await start(readOptions(process.argv.slice(2), process.env));
} catch (error) {
  fail(error);
}
