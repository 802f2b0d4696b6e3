import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundleFunctions } from '#infra/bundle.ts';
import { type LoadedFunction, loadRoutes, loadWorkers } from '#infra/functions.ts';

let functions: LoadedFunction[];
let folder: string;
let bundles: string;
beforeAll(async () => {
  functions = [...(await loadRoutes()), ...(await loadWorkers())];
  folder = await mkdtemp(join(tmpdir(), 'crm-bundle-'));
  bundles = join(folder, 'dist');
  await bundleFunctions(functions, bundles);
});
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
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    legalComments: 'none',
    write: false,
  });
  return outputFiles[0]?.contents.length ?? 0;
}

test('every API function that uses the table alone is at most half of a bare DocumentClient', async () => {
  const endpoints = (await loadRoutes()).filter(({ route }) => route.carries === undefined);
  const sizes = await Promise.all(endpoints.map(async ({ name }) => ({ name, bytes: await bytesOf(name) })));
  const limit = (await bareBytes()) / 2;
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

test('what only emits events carries none of their schemas', async () => {
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
        join(bundles, first?.name as string, source).replace(join(folder), join(import.meta.dirname, '../..')),
        'utf8',
      ),
    );
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
