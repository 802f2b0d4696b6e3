import { runApart } from './apart.ts';
import { buildAssembly } from './build.ts';
import { type Cloud, startCloud } from './cloud.ts';
import {
  createDataDir,
  credentialsOf,
  type Demo,
  environmentOf,
  readDemoFile,
  writeDemoFile,
  writeSamTemplate,
  writeSystemFile,
} from './files.ts';
import { type HttpApi, startHttpApi } from './http.ts';
import { lockFolder } from './lock.ts';
import { readOptions, type StartOptions } from './options.ts';
import { StartProblem } from './problem.ts';
import { samTemplate } from './sam.ts';
import { onStop } from './stop.ts';
import { home } from './template/identities.ts';
import type { Deployment } from './template.ts';
import { watchSources } from './watch.ts';

// As on Lambda.
process.env['TZ'] = 'UTC';
// These files hold customers' data or credentials: other users of this machine must not read them.
process.umask(0o077);

const say = (line: string) => process.stdout.write(`${line}\n`);
const report = (text: string) => process.stderr.write(`${text}\n`);

function fail(error: unknown): never {
  report(error instanceof StartProblem ? error.message : String((error as Error).stack ?? error));
  process.exit(1);
}

async function start(options: StartOptions): Promise<Cloud> {
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
  cloud = await startCloud({ ...options, credentials: credentialsOf(dataDir), api, report, onEngineLost: fail });
  const deployment = await deploy(await assembly, dataDir, cloud);
  for (const line of summary(deployment, cloud)) say(line);

  const env = { ...environmentOf(deployment, cloud.environment), API_URL: api.url, ALLOW_UNSIGNED_IMPORTS: 'true' };
  writeSystemFile(dataDir, { pid: process.pid, baseUrl: api.url, env });
  for (const line of await ensureDemo(options, api.url, env)) say(line);
  if (options.watches) watchSources(() => redeploy(options, cloud));
  say(`ready ${api.url}`);
  return cloud;
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

const summary = (deployment: Deployment, { environment, engine }: Cloud) => [
  `DynamoDB: ${engine}, at ${environment['AWS_ENDPOINT_URL_DYNAMODB']}; ${deployment.queues.length} queues at ${environment['AWS_ENDPOINT_URL_SQS']}`,
  `${deployment.functions.length} functions for ${deployment.routes.length} routes, ${deployment.queueMappings.length} queue and ${deployment.streamMappings.length} stream mappings and ${deployment.rules.length} rules`,
];

/** Makes the demo workspace at the first start. Returns how to get into it. */
async function ensureDemo({ dataDir, isEmpty }: StartOptions, baseUrl: string, env: Record<string, string>) {
  const existing = readDemoFile(dataDir);
  if (existing?.workspaceId === undefined && (existing || isEmpty)) {
    writeDemoFile(dataDir, { ...existing, baseUrl });
    return [];
  }
  // Most of lib/ and all endpoints: their memory is free again afterwards.
  const apart = runApart(new URL('./demo.ts', import.meta.url), { ...process.env, ...env }, { existing });
  const { demo, link } = (await apart) as { demo: Demo; link: string };
  writeDemoFile(dataDir, { ...demo, baseUrl });
  const keys = existing ? [] : [`demo keys: live ${demo.liveKey}, test ${demo.testKey}`];
  return [...keys, `panel  ${link}`];
}

async function deploy(assembly: string, dataDir: string, cloud: Cloud): Promise<Deployment> {
  const deployment = await cloud.deploy(assembly);
  writeSamTemplate(dataDir, samTemplate(assembly, deployment, cloud.environment));
  return deployment;
}

async function redeploy({ settings, dataDir }: StartOptions, cloud: Cloud): Promise<void> {
  try {
    await deploy(await buildAssembly(settings), dataDir, cloud);
    say('the change is deployed');
  } catch (error) {
    report(`the change is not deployed: ${(error as Error).message}`);
  }
}

/** Starts what the command line and the environment ask for, or ends the process. */
export async function main(): Promise<Cloud> {
  try {
    return await start(readOptions(process.argv.slice(2), process.env));
  } catch (error) {
    return fail(error);
  }
}

if (import.meta.main) await main();
