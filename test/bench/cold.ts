import { execFileSync } from 'node:child_process';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { bundleFunctions } from '#infra/bundle.ts';
import { loadRoutes } from '#infra/functions.ts';
import { bareOptions } from '#test/bench/bare.ts';
import { atMost, beside, type Line, median } from '#test/bench/report.ts';

const rounds = 15;
const root = join(import.meta.dirname, '../..');

/** The least a Lambda on DynamoDB can be: the document client with five commands, bundled the same way but with its defaults. */
const bareSource = `
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
export const commands = { GetCommand, PutCommand, QueryCommand, TransactWriteCommand, UpdateCommand };
export const handler = async () => client.send(new GetCommand({ TableName: process.env.TABLE_NAME, Key: { pk: 'x', sk: 'x' } }));
`;

/** Bytes, import and first call of the bundles, against a bare document client in the same run. Ratios of process CPU, medians of interleaved runs. */
export async function coldStart(workDir: string, environment: Record<string, string>): Promise<Line[]> {
  const bare = join(workDir, 'bare.mjs');
  await build({
    stdin: { contents: bareSource, resolveDir: root },
    outfile: bare,
    ...bareOptions,
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  });
  const bundles = join(workDir, 'bundles');
  await mkdir(bundles, { recursive: true });
  const routes = await loadRoutes();
  await bundleFunctions(routes, bundles);
  const names = routes.map(({ name }) => name);
  const sizes = await Promise.all(names.map(async (name) => [name, await codeBytes(join(bundles, name))] as const));
  const heaviestOf = (of: typeof sizes) => of.reduce((a, b) => (b[1] > a[1] ? b : a));
  const carrying = new Set(routes.filter(({ route }) => route.heavyDependency).map(({ name }) => name));
  const [heaviest, bytes] = heaviestOf(sizes.filter(([name]) => !carrying.has(name)));
  const exceptions = sizes.filter(([name]) => carrying.has(name)).map(([name, size]) => `${name} ${kilobytes(size)}`);
  const typical = median(sizes.map(([, size]) => size));
  const bareBytes = (await stat(bare)).size;

  const imports = { ours: [] as number[], bare: [] as number[] };
  const firstCalls = { primed: [] as number[], unprimed: [] as number[] };
  const replies = { ours: [] as number[], bare: [] as number[] };
  const entry = join(bundles, 'contacts-get', 'index.mjs');
  for (let round = 0; round < rounds; round += 1) {
    imports.bare.push((await child(workDir, bare, {})).importCpuMs);
    // Without a table name there is nothing to prime: the import alone.
    imports.ours.push((await child(workDir, join(bundles, heaviest, 'index.mjs'), {})).importCpuMs);
    const primed = await child(workDir, entry, environment);
    firstCalls.primed.push(primed.callCpuMs);
    replies.ours.push(primed.importCpuMs + primed.callCpuMs);
    const { importCpuMs, callCpuMs } = await child(workDir, bare, environment);
    replies.bare.push(importCpuMs + callCpuMs);
    firstCalls.unprimed.push((await child(workDir, entry, environment, 'late')).callCpuMs);
  }
  return [
    atMost(
      'heaviest bundle of an API function that uses the table alone / bare document client',
      bytes / bareBytes,
      1.3,
      'x',
      `${heaviest} ${kilobytes(bytes)}, bare ${kilobytes(bareBytes)}`,
    ),
    beside('typical API bundle', kilobytes(typical)),
    beside('API functions that carry more than the table', exceptions.join(', ')),
    atMost(
      'its import / import of the bare one (CPU)',
      median(imports.ours) / median(imports.bare),
      1.3,
      'x',
      `${median(imports.ours).toFixed(0)} / ${median(imports.bare).toFixed(0)} ms`,
    ),
    atMost(
      'first reply of a cold function / of the bare one (CPU, import and priming included)',
      median(replies.ours) / median(replies.bare),
      1.3,
      'x',
      `${median(replies.ours).toFixed(0)} / ${median(replies.bare).toFixed(0)} ms`,
    ),
    atMost(
      'first call after init / unprimed first call (CPU)',
      median(firstCalls.primed) / median(firstCalls.unprimed),
      0.3,
      'x',
      `${median(firstCalls.primed).toFixed(1)} / ${median(firstCalls.unprimed).toFixed(1)} ms`,
    ),
  ];
}

const kilobytes = (size: number) => `${Math.round(size / 1000)} KB`;

async function codeBytes(folder: string): Promise<number> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.mjs'));
  return (await Promise.all(files.map((name) => stat(join(folder, name))))).reduce((sum, { size }) => sum + size, 0);
}

/** Imports a bundle in a fresh process and calls it once; `late` gives the environment only after the import, so that it cannot prime. */
async function child(
  workDir: string,
  bundle: string,
  environment: Record<string, string>,
  when: 'early' | 'late' = 'early',
) {
  const script = join(workDir, 'child.mjs');
  await writeFile(
    script,
    `const environment = ${JSON.stringify(environment)};
    if (${when === 'early'}) Object.assign(process.env, environment);
    const cpuMs = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000; };
    const before = cpuMs();
    const { handler } = await import(${JSON.stringify(bundle)});
    const importCpuMs = cpuMs() - before;
    Object.assign(process.env, environment);
    console.log = () => {};
    const event = { version: '2.0', rawPath: '/v1/contacts/1', headers: { authorization: 'Bearer csk_live_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' }, pathParameters: { id: '1' }, requestContext: { http: { method: 'GET', path: '/v1/contacts/1', sourceIp: '127.0.0.9' } } };
    const started = cpuMs();
    if (environment.TABLE_NAME) await handler(event, { awsRequestId: '1', getRemainingTimeInMillis: () => 10000 });
    process.stdout.write('\\n' + JSON.stringify({ importCpuMs, callCpuMs: cpuMs() - started }));
    process.exit(0);`,
  );
  const output = execFileSync(process.execPath, [script], {
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'] ?? '',
      AWS_REGION: 'eu-central-1',
      AWS_ACCESS_KEY_ID: 'x',
      AWS_SECRET_ACCESS_KEY: 'x',
    },
  });
  // What the handler logs comes before.
  return JSON.parse(output.slice(output.lastIndexOf('\n') + 1)) as { importCpuMs: number; callCpuMs: number };
}
