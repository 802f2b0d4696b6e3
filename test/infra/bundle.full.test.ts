import { execFile } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleFunctions } from '#infra/bundle.ts';
import { type LoadedFunction, loadRoutes, loadWorkers } from '#infra/functions.ts';
import { bareOptions } from '#test/bench/bare.ts';
import { buildWithCode, readAssembly } from '#test/infra/assembly.ts';

/** Longer than it takes on a busy machine. */
const bundlingMs = 300_000;

let functions: LoadedFunction[];
let built: string;
let bundles: string;
let folder: string;
beforeAll(async () => {
  functions = [...(await loadRoutes()), ...(await loadWorkers())];
  folder = await mkdtemp(join(tmpdir(), 'crm-bundle-'));
  built = await buildWithCode();
  bundles = join(built, 'dist');
}, bundlingMs);
afterAll(() => rm(folder, { recursive: true }));

const modulesOf = (name: string) => globSync(join(bundles, name, '*.mjs'));

async function bytesOf(name: string): Promise<number> {
  const sizes = await Promise.all(modulesOf(name).map(async (path) => (await stat(path)).size));
  return sizes.reduce((total, size) => total + size, 0);
}

/** A function that only builds a DocumentClient and sends five commands, with the SDK as it comes. */
async function bareBytes(): Promise<number> {
  const commands = 'GetCommand, PutCommand, QueryCommand, UpdateCommand, TransactWriteCommand';
  const { outputFiles } = await build({
    stdin: {
      resolveDir: import.meta.dirname,
      contents: `
        import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
        import { DynamoDBDocumentClient, ${commands} } from '@aws-sdk/lib-dynamodb';
        const client = DynamoDBDocumentClient.from(new DynamoDBClient({}));
        const commands = { ${commands} };
        export const handler = ({ name, input }) => client.send(new commands[name](input));`,
    },
    ...bareOptions,
    write: false,
  });
  return outputFiles[0]?.contents.length ?? 0;
}

test('every API function that uses the table alone is at most 1.3 times a bare DocumentClient', async () => {
  const endpoints = (await loadRoutes()).filter(({ route }) => route.heavyDependency === undefined);
  const sizes = await Promise.all(endpoints.map(async ({ name }) => ({ name, bytes: await bytesOf(name) })));
  const limit = (await bareBytes()) * 1.3;
  expect(sizes.filter(({ bytes }) => bytes > limit)).toEqual([]);
});

test('no bundle holds the credential providers that a Lambda does not use', async () => {
  for (const { name } of functions) {
    const code = await Promise.all(modulesOf(name).map((path) => readFile(path, 'utf8')));
    expect(
      code.join('').match(/GetRoleCredentials|AssumeRoleWithWebIdentity|latest\/meta-data\/iam/g),
      name,
    ).toBeNull();
  }
});

test('only what answers from the OpenAPI document carries it', () => {
  const carriers = functions.filter(
    ({ name }) => globSync('{,document/}openapi.json', { cwd: join(bundles, name) }).length > 0,
  );
  expect(carriers.map(({ name }) => name)).toEqual(['fallback-any', 'openapi-get']);
});

test('only a function that reads event schemas bundles them', async () => {
  const carriers = [];
  for (const { name, domain } of functions) {
    const code = await Promise.all(modulesOf(name).map((path) => readFile(path, 'utf8')));
    if (domain !== 'webhooks' && code.some((text) => text.includes('An API key was minted.'))) carriers.push(name);
  }
  expect(carriers.sort()).toEqual(['mcp-post']);
});

test('the source maps lead to our TypeScript and hold it', async () => {
  const [first] = functions;
  const maps = globSync(join(bundles, first?.name as string, '*.mjs.map'));
  const found = (await Promise.all(maps.map(async (path) => JSON.parse(await readFile(path, 'utf8'))))).flatMap(
    ({ sources, sourcesContent }: { sources: string[]; sourcesContent: string[] }) =>
      sources.map((source, index) => ({ source, content: sourcesContent[index] })),
  );
  const ours = found.filter(({ source }) => source.startsWith('../../lib/'));
  expect(ours.length).toBeGreaterThan(0);
  for (const { source, content } of ours)
    expect(content, source).toBe(
      await readFile(
        join(bundles, first?.name as string, source).replace(built, join(import.meta.dirname, '../..')),
        'utf8',
      ),
    );
});

test('each function has its code where sam local looks for it, and exports the handler', async () => {
  const { ofType } = await readAssembly(join(built, 'full'));
  const lambdas = ofType('AWS::Lambda::Function');
  expect(lambdas).toHaveLength(functions.length);
  const modules = lambdas.map(([id, { Properties, Metadata = {} }]) => {
    expect(Metadata['aws:asset:property'], id).toBe('Code');
    expect(Properties.Handler, id).toBe('index.handler');
    return join(built, 'full', Metadata['aws:asset:path'] as string, 'index.mjs');
  });
  for (const module of modules) {
    expect(existsSync(`${module}.map`), module).toBe(true);
    expect(await readFile(module, 'utf8'), module).toMatch(/export ?\{[^}]*\bas handler\b/);
  }
  // In plain Node, without this process's loader and environment, and away from the packages; the local system imports every other one.
  const apart = join(folder, 'index.mjs');
  await cp(modules[0] as string, apart);
  const script = `console.log(typeof (await import(${JSON.stringify(apart)})).handler)`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { env: {} });
  expect(stdout.trim()).toBe('function');
});

test.each([false, true])('the same sources give the same bytes (splitting: %s)', async (splitting) => {
  const some = functions.slice(0, 3);
  const [first, second] = [join(folder, 'first/dist'), join(folder, 'second/dist')];
  await bundleFunctions(some, first, { splitting });
  await bundleFunctions(some, second, { splitting });
  const files = globSync('*/*.*', { cwd: first });
  expect(files.length).toBeGreaterThanOrEqual(2 * some.length);
  for (const file of files) {
    expect((await readFile(join(second, file))).equals(await readFile(join(first, file))), file).toBe(true);
  }
});
