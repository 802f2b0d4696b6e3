import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';

/** The folders of lib/. A new noun goes into the folder of the nouns it works with. */
const libFolders = [
  'agents',
  'analytics',
  'auth',
  'aws',
  'channels',
  'contacts',
  'core',
  'deals',
  'email',
  'entities',
  'events',
  'exports',
  'files',
  'finance',
  'http',
  'imports',
  'mcp',
  'messages',
  'network',
  'privacy',
  'publishing',
  'queues',
  'search',
  'sequences',
  'sheets',
  'table',
  'transport',
  'webhooks',
  'workspaces',
];

const root = join(import.meta.dirname, '..');
const files = globSync('{lib,functions,infra,panel,client,cli}/**/*.{ts,tsx}', { cwd: root }).sort();
const house = files.filter((file) => /^(?:lib|functions|infra)\//.test(file));
const folders = new Set(files.map((file) => dirname(file)));

/** Returns the folder of a file; `infra/openapi.ts` belongs to `infra/openapi/`. A file right in infra/, infra/local/, or cli/ is a unit of its own. */
function folderOf(file: string): string {
  const own = file.replace(/\.tsx?$/, '');
  return folders.has(own) || ['infra', 'infra/local', 'cli'].includes(dirname(file)) ? own : dirname(file);
}

/** What a file imports, as it stands there. */
function namedIn(file: string): string[] {
  const source = readFileSync(join(root, file), 'utf8');
  const { staticImports, staticExports, dynamicImports } = parseSync(file, source).module;
  return [
    ...staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) => entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? [])),
    ...dynamicImports.map(({ moduleRequest }) => source.slice(moduleRequest.start + 1, moduleRequest.end - 1)),
  ];
}

const importsOf = (file: string): string[] =>
  namedIn(file).flatMap((name) => {
    if (name.startsWith('#')) return [name.slice(1)];
    return name.startsWith('.') ? [join(dirname(file), name)] : [];
  });

test('lib has these folders, and no file beside them', () => {
  const present = new Set(house.filter((file) => file.startsWith('lib/')).map((file) => file.split('/')[1]));
  expect([...present].sort()).toEqual(libFolders);
});

/** Returns a circle of what imports what, or undefined. */
function circleIn(imports: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  const done = new Set<string>();
  const search = (name: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name];
    if (done.has(name)) return undefined;
    for (const imported of imports.get(name) ?? []) {
      const circle = search(imported, [...path, name]);
      if (circle) return circle;
    }
    done.add(name);
    return undefined;
  };
  for (const name of imports.keys()) {
    const circle = search(name, []);
    if (circle) return circle;
  }
  return undefined;
}

/** Returns what each unit imports of other units; `unitOf` is undefined for a path that is no file of ours. */
function importsBetween(unitOf: (file: string) => string | undefined): Map<string, Set<string>> {
  const imports = new Map<string, Set<string>>();
  for (const file of files) {
    const from = unitOf(file);
    for (const to of importsOf(file).map(unitOf)) {
      if (from === undefined || to === undefined || from === to) continue;
      imports.set(from, (imports.get(from) ?? new Set()).add(to));
    }
  }
  return imports;
}

const known = new Set(files);

test('folders import in no circle', () => {
  expect(circleIn(importsBetween((file) => (known.has(file) ? folderOf(file) : undefined)))).toBeUndefined();
});

test('the folders of lib import in no circle, with all that lies in them', () => {
  const imports = importsBetween((file) => /^lib\/\w+(?=\/)/.exec(file)?.[0]);
  expect(imports.size).toBeGreaterThan(20);
  expect(circleIn(imports)).toBeUndefined();
});

test('lib imports neither functions nor infra, and functions do not import infra', () => {
  const floors = ['lib', 'functions', 'infra'];
  const floorOf = (file: string) => floors.indexOf(file.split('/')[0] ?? '');
  const upward = house.filter((file) => importsOf(file).some((imported) => floorOf(imported) > floorOf(file)));
  expect(upward).toEqual([]);
});

test('a circle is found', () => {
  const imports = Object.entries({ a: ['b'], b: ['c'], c: ['b'] }).map(([name, to]) => [name, new Set(to)] as const);
  expect(circleIn(new Map(imports))).toEqual(['b', 'c', 'b']);
});

test('the client and the command line know nothing of the house', () => {
  const outside = globSync('{cli,client}/**/*.ts', { cwd: root }).flatMap((file) =>
    importsOf(file).filter((imported) => !/^(?:cli|client)\//.test(imported)),
  );
  expect(outside).toEqual([]);
});

test('the pages import the client alone, and other code imports their document module alone', () => {
  const pages = files.filter((file) => file.startsWith('panel/'));
  const outside = pages.flatMap((file) => importsOf(file).filter((imported) => !/^(?:panel|client)\//.test(imported)));
  expect({ pages: pages.length > 0, outside }).toEqual({ pages: true, outside: [] });
  const readers = house.flatMap((file) => importsOf(file).filter((imported) => imported.startsWith('panel/')));
  expect(new Set(readers)).toEqual(new Set(['panel/document/document.ts']));
});

test('only lib/http and lib/queues read the events of Lambda', () => {
  const readers = house.filter((file) => !file.startsWith('infra/') && namedIn(file).includes('aws-lambda'));
  expect(new Set(readers.map(folderOf))).toEqual(new Set(['lib/http', 'lib/queues']));
});

/** What a service of AWS is asked by: nothing else of lib/ and functions/ knows that there is one. */
const callers = [
  'lib/aws',
  'lib/table',
  'lib/agents/bedrock.ts',
  'lib/channels/telegram/app.ts',
  'lib/email/bucket.ts',
  'lib/email/ses.ts',
  'lib/files/bucket.ts',
  'lib/files/presigned.ts',
  'lib/publishing/bus-put.ts',
  'lib/queues/send.ts',
];

test('AWS is called from the table and from one file of each other service alone', () => {
  const isCaller = (file: string) => callers.some((name) => file === name || file.startsWith(`${name}/`));
  const calling = house.filter(
    (file) => !file.startsWith('infra/') && namedIn(file).some((name) => /^@aws-sdk\//.test(name)),
  );
  expect(calling.length).toBeGreaterThan(callers.length - 2);
  expect(calling.filter((file) => !isCaller(file))).toEqual([]);
});

test('a time-out is a name of lib/core/timeouts.ts', () => {
  const numbers = house
    .filter((file) => !file.startsWith('infra/') && file !== 'lib/core/timeouts.ts')
    .flatMap(
      (file) => readFileSync(join(root, file), 'utf8').match(/\w*timeout(?:Ms|Seconds)\??(?:: | = )\d.*/gi) ?? [],
    );
  expect(numbers).toEqual([]);
});
