import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import openapi from '#openapi' with { type: 'json' };
import { allOperations, type Document } from '#panel/document/document.ts';
import { languages, sampleOf } from '#panel/document/examples.ts';
import { place } from '#test/place.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const baseUrl = place('baseUrl');
const document = openapi as unknown as Document;
const operations = allOperations(document);
const has = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;

const bodyOf = (operationId: string) => {
  const called = operations.find(({ operation }) => operation.operationId === operationId);
  return sampleOf(document, called as (typeof operations)[number]).body as object;
};

/** A body without the records that it names, which no new workspace has. */
const withoutReferences = (body: unknown) =>
  Object.fromEntries(Object.entries(body as object).filter(([name]) => !/Ids?$|^attachments$/.test(name)));

const exampleOf = (language: string, operationId: string) => {
  const called = operations.find(({ operation }) => operation.operationId === operationId);
  if (!called) throw new Error(`there is no ${operationId}`);
  return languages[language]?.(sampleOf(document, called), baseUrl) as string;
};

let folder: string;
let workspace: TestWorkspace;
beforeAll(async () => {
  // Below the project, for the examples to find the client and Node's types.
  await mkdir(join(root, 'node_modules/.cache'), { recursive: true });
  folder = await mkdtemp(join(root, 'node_modules/.cache/examples-'));
  workspace = await newWorkspace();
  // The examples fill in a custom field, which a workspace defines.
  await workspace.test.post('/v1/fields', { object: 'contact', slug: 'source', title: 'Source', type: 'text' }, 201);
});
afterAll(() => rm(folder, { recursive: true }));

const environment = () => ({ ...process.env, CRM_API_KEY: workspace.testKey });

/** Runs an example, and answers what it writes. */
const runners: Record<string, { isHere: boolean; run(source: string): Promise<string> }> = {
  curl: {
    isHere: has('curl', '--version'),
    run: async (source) => (await run('sh', ['-c', `${source} -sS --fail-with-body`], { env: environment() })).stdout,
  },
  TypeScript: {
    isHere: true,
    run: async (source) => {
      const file = join(folder, 'example.mjs');
      const client = pathToFileURL(join(root, 'client/index.ts')).href;
      await writeFile(file, source.replace('crm-api-client', client));
      return (await run(process.execPath, [file], { env: environment() })).stdout;
    },
  },
  Python: {
    isHere: has('python3', '-c', 'import requests'),
    run: async (source) => (await run('python3', ['-c', source], { env: environment() })).stdout,
  },
};

describe.each(Object.entries(runners))('the %s example', (language, runner) => {
  test.skipIf(!runner.isHere)('for a write creates a row that the one for a list shows', async () => {
    const written = await runner.run(exampleOf(language, 'contactsCreate'));
    expect(written).toContain('Analytical Engines');
    expect(await runner.run(exampleOf(language, 'contactsList'))).toContain('Analytical Engines');
    const { body } = await workspace.test.get('/v1/contacts');
    expect(body.items.length).toBeGreaterThan(0);
  });
});

test('the example of every creation has the form that the call takes', async () => {
  const creations = operations
    .map((called) => sampleOf(document, called))
    .filter(({ method, path, body }) => method === 'POST' && !path.includes('{') && body !== undefined);
  expect(creations.length).toBeGreaterThan(20);
  const { test: client } = await newWorkspace();
  const refused: unknown[] = [];
  for (const { path, body } of creations) {
    const answer = await client.post(path, withoutReferences(body));
    const wrong = answer.status === 400 ? (answer.body.details.fields ?? [answer.body]) : [];
    refused.push(...wrong.filter(({ field = '' }) => !/Ids?(\[\d+\])?$/.test(field)).map((one: object) => [path, one]));
  }
  expect(refused).toEqual([]);
});

test('the examples of custom fields define one, fill it, and change it', async () => {
  const { test: client } = await newWorkspace();
  const field = (await client.post('/v1/fields', bodyOf('fieldsCreate'), 201)).body;
  const contact = (await client.post('/v1/contacts', { name: 'Ada' }, 201)).body;
  const values = bodyOf('contactsPatchFields');
  expect((await client.patch(`/v1/contacts/${contact.id}/fields`, values, 200)).body).toEqual(values);
  await client.patch(`/v1/fields/${field.id}`, bodyOf('fieldsPatch'), 200);
});

test('the TypeScript example of every operation compiles', async () => {
  const compiled = join(folder, 'compiled');
  await mkdir(compiled);
  await Promise.all(
    operations.map(({ operation: { operationId } }) =>
      writeFile(join(compiled, `${operationId}.ts`), exampleOf('TypeScript', operationId)),
    ),
  );
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      paths: { 'crm-api-client': [join(root, 'client/index.ts')] },
      noPropertyAccessFromIndexSignature: false,
    },
    include: ['*.ts'],
    exclude: [],
  };
  await writeFile(join(compiled, 'tsconfig.json'), JSON.stringify(config));
  const { stdout } = await run('npx', ['tsc', '-p', compiled, '--noEmit'], { cwd: root }).catch((error) => error);
  expect(stdout).toBe('');
  expect(operations.length).toBeGreaterThan(100);
});

test.skipIf(!runners['Python']?.isHere)('the Python example of every operation compiles', async () => {
  const sources = operations.map(({ operation: { operationId } }) => exampleOf('Python', operationId));
  const file = join(folder, 'examples.json');
  await writeFile(file, JSON.stringify(sources));
  const check = 'import json, sys\nfor one in json.load(open(sys.argv[1])): compile(one, "example", "exec")';
  await run('python3', ['-c', check, file]);
});

test.skipIf(process.platform === 'win32')(
  'the curl example of every operation is one command of the shell',
  async () => {
    const commands = operations.map(({ operation }) => exampleOf('curl', operation.operationId));
    // A function's body is parsed, and not run.
    const check = 'for one; do eval "f() {\n$one\n}" || exit 1; done';
    await run('sh', ['-c', check, 'sh', ...commands]);
    await expect(run('sh', ['-c', check, 'sh', ...commands, "curl 'open"])).rejects.toThrow();
  },
);
