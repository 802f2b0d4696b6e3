import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';

/**
 * The layers of the house, the lowest first: a unit imports from the layers below its own alone. A unit is a folder, or a file with
 * the folder of its name; `*` is one unit for each name in its place that no other layer has, but for the files of lib/ that are
 * not named, which are one. A new noun is of `lib/*`, until it must stand lower or higher.
 * What a channel is stands low in lib/channels/, for everybody to know; how it sends stands in its own folder there, which is high.
 */
const layers = [
  ['lib/clock', 'lib/env'],
  ['lib/aws'],
  ['lib/*.ts'],
  ['lib/channels', 'lib/network', 'lib/reference'],
  ['lib/queues'],
  ['lib/events', 'lib/needs'],
  ['lib/table'],
  ['lib/entities', 'lib/keys', 'lib/timers'],
  ['lib/quotas'],
  [
    'lib/accounts',
    'lib/agents',
    'lib/analytics',
    'lib/audit',
    'lib/batch',
    'lib/feed',
    'lib/files',
    'lib/members',
    'lib/pipelines',
  ],
  ['lib/bus', 'lib/references', 'lib/tags'],
  ['lib/webhooks'],
  ['lib/*'],
  ['lib/messages'],
  ['lib/archive', 'lib/deals', 'lib/jobs', 'lib/sweep'],
  ['lib/email', 'lib/channels/*'],
  ['lib/sequences', 'lib/sessions'],
  ['lib/sending'],
  ['lib/erasure', 'lib/export', 'lib/receiving'],
  ['lib/saga-kinds'],
  ['lib/http', 'lib/worker'],
  ['lib/mcp'],
  ['functions/*'],
  ['infra/mcp'],
  ['functions/mcp'],
  ['infra/entities', 'infra/functions', 'infra/names', 'infra/reference', 'infra/settings'],
  ['infra/pages'],
  [
    'infra/bundle',
    'infra/event-names',
    'infra/openapi',
    'infra/panel-lists',
    'infra/stacks',
    'infra/table-map',
    'infra/typescript-api',
    'infra/untrusted-fields',
  ],
  ['infra/app'],
  ['infra/synth'],
  ['aws-error', 'nowhere', 'problem', 'stop', 'template', 'timer-heap'].map((name) => `infra/local/${name}`),
  ['infra/local/files'],
  ['infra/local/calls'],
  ['infra/local/guard'],
  ['apart', 'engine', 'functions', 'lock', 'options', 'sam', 'wire'].map((name) => `infra/local/${name}`),
  ['events', 'http', 'kms', 'scheduler', 'ses', 'sqs', 'ssm'].map((name) => `infra/local/${name}`),
  ['infra/admin', 'infra/local/s3'],
  ['infra/local/demo'],
  ['build', 'mappings'].map((name) => `infra/local/${name}`),
  ['cloud', 'watch'].map((name) => `infra/local/${name}`),
  ['infra/canary', 'infra/local/start', 'infra/permissions'],
];

const root = join(import.meta.dirname, '..');
const files = globSync('{lib,functions,infra}/**/*.ts', { cwd: root }).sort();
const ranks = new Map(layers.flatMap((units, rank) => units.map((unit) => [unit, rank] as const)));

/** The unit of a file, and how high it stands; undefined for one that no layer names. */
function placeOf(file: string): { unit: string; rank: number } | undefined {
  const [top = '', ...rest] = file.replace(/\.ts$/, '').split('/');
  const isApart = rest[0] === 'local' || (rest[0] === 'channels' && rest.length === 3 && rest[2] !== 'channel');
  const own = join(top, ...rest.slice(0, isApart ? 2 : 1));
  const unit = top === 'lib' && rest.length === 1 && !ranks.has(own) ? 'lib/*.ts' : own;
  const rank = ranks.get(unit) ?? ranks.get(join(unit, '..', '*'));
  return rank === undefined ? undefined : { unit, rank };
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

test('every file stands in a layer: name its folder in this test, above all that it imports', () => {
  expect(files.filter((file) => placeOf(file) === undefined)).toEqual([]);
});

test('imports go down: what two units need of each other goes below both, or is handed in from above', () => {
  const wrong = files.flatMap((file) =>
    importsOf(file).flatMap((imported) => {
      const [from, to] = [placeOf(file), placeOf(imported)];
      if (from === undefined || to === undefined || from.unit === to.unit || to.rank < from.rank) return [];
      return [`${file} imports ${imported}, which stands ${to.rank === from.rank ? 'beside' : 'above'} it`];
    }),
  );
  expect(wrong).toEqual([]);
});

test('the client and the command line know nothing of the house', () => {
  const outside = globSync('{cli,client}/**/*.ts', { cwd: root }).flatMap((file) =>
    importsOf(file).filter((imported) => !/^(?:cli|client)\//.test(imported)),
  );
  expect(outside).toEqual([]);
});

test('the pages know the client and the reference alone, and nothing else knows the page', () => {
  const page = globSync('lib/panel/**/*.{ts,tsx}', { cwd: root });
  const outside = page.flatMap((file) =>
    importsOf(file).filter((imported) => !/^(?:lib\/panel|lib\/reference|client)\//.test(imported)),
  );
  expect({ pages: page.length > 0, outside }).toEqual({ pages: true, outside: [] });
  const inside = files.filter((file) => !file.startsWith('lib/panel/'));
  expect(inside.filter((file) => importsOf(file).some((imported) => imported.startsWith('lib/panel/')))).toEqual([]);
});

test('what AWS calls a function with is read where functions are made of work, and nowhere else', () => {
  const readers = files.filter((file) => !file.startsWith('infra/') && namedIn(file).includes('aws-lambda'));
  expect(new Set(readers.map((file) => placeOf(file)?.unit))).toEqual(new Set(['lib/http', 'lib/worker']));
});

/** What a service of AWS is asked by: nothing else of lib/ and functions/ knows that there is one. */
const callers = [
  ...[
    'aws',
    'table',
    'bus/put',
    'email/bucket',
    'email/ses',
    'files/bucket',
    'files/presigned',
    'timers/send',
    'secrets',
  ],
  ...['agents/bedrock', 'channels/telegram/app'],
];

test('AWS is called from the table and from one file of each other service alone', () => {
  const isCaller = (file: string) =>
    callers.some((name) => file.startsWith(`lib/${name}/`) || file === `lib/${name}.ts`);
  const calling = files.filter(
    (file) => !file.startsWith('infra/') && namedIn(file).some((name) => /^@aws-sdk\//.test(name)),
  );
  expect(calling.length).toBeGreaterThan(callers.length - 2);
  expect(calling.filter((file) => !isCaller(file))).toEqual([]);
});

test('every layer is one of files that there are', () => {
  const units = new Set(files.map((file) => placeOf(file)?.unit));
  expect([...ranks.keys()].filter((unit) => !unit.endsWith('/*') && !units.has(unit))).toEqual([]);
});

test('a time-out is a name of lib/timeouts.ts', () => {
  const numbers = files
    .filter((file) => !file.startsWith('infra/') && file !== 'lib/timeouts.ts')
    .flatMap(
      (file) => readFileSync(join(root, file), 'utf8').match(/\w*timeout(?:Ms|Seconds)\??(?:: | = )\d.*/gi) ?? [],
    );
  expect(numbers).toEqual([]);
});
