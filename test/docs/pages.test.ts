import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import { channels } from '#lib/core/channel.ts';
import { settings } from '#lib/core/env.ts';
import { queues } from '#lib/core/queues.ts';
import { DataExports } from '#lib/entities/data-export.ts';
import { Deliveries } from '#lib/entities/delivery.ts';
import { Enrollments } from '#lib/entities/enrollment.ts';
import { Jobs } from '#lib/entities/job.ts';
import { pages, root } from './pages.ts';

const read = (name: string) => readFileSync(join(root, name), 'utf8');

/** What each channel has, the page says of all of them at once. */
const isChannel = (name: string) => channels.some((channel) => channel === name);

/** Of the commands that do something: `workspace create`. */
const nouns = globSync('infra/admin/commands/*.ts', { cwd: root })
  .filter((file) => read(file).includes('export const commands'))
  .map((file) => basename(file, '.ts'))
  .filter((name) => !isChannel(name.replace(/-account$/, '')));

/** The part of a page under a heading. */
const section = (page: string, heading: string) =>
  read(page)
    .split(/^## /m)
    .find((part) => part.startsWith(`${heading}\n`));

/** Settings that shape the stacks. */
const stackSettings = [
  ...(read('infra/settings.ts').split('const deployment = {')[1]?.split('} as const')[0] ?? '').matchAll(
    /^ {2}(\w+): v/gm,
  ),
].map(([, name]) => String(name));

const valuesOf = (choice: v.GenericSchema) => (v.getMetadata(choice as never) as { enum: string[] }).enum;

test.each([
  ['Jobs', valuesOf(Jobs.schema.entries.status)],
  ['Deliveries', valuesOf(Deliveries.schema.entries.status)],
  ['Exports', valuesOf(DataExports.schema.entries.status)],
  ['Enrollments', valuesOf(Enrollments.schema.entries.status)],
])('the diagram of %s has the states that are stored, and the table under it explains each', (heading, states) => {
  const [, diagram = '', table = ''] = section('docs/states.md', heading)?.split('```') ?? [];
  const lines = diagram
    .split('\n')
    .slice(1, -1)
    .map((line) => line.trim());
  const drawn = lines
    .filter((line) => line !== 'stateDiagram-v2')
    .flatMap((line) => {
      const [from = '', to = from] = line.replace(/:.*/, '').split(' --> ');
      return [from.trim(), to.trim()];
    });
  expect(new Set(drawn.filter((name) => name !== '[*]'))).toEqual(new Set(states));
  for (const state of states) expect(table, `what is said of ${state}`).toContain(`\`${state}\``);
});

test.each([
  ['docs/alarms-queues.md', 'queue that is not a channel', queues.filter((name) => !isChannel(name))],
  ['docs/settings.md', 'operator setting', Object.keys(settings)],
  ['docs/settings.md', 'setting of the stacks', stackSettings],
  ['docs/operate.md', 'noun of the operator', nouns],
])('%s names every %s', (page, _, names) => {
  const text = read(page);
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !new RegExp(`\`${name}[ \`]`).test(text))).toEqual([]);
});

test('README.md leads to every page', () => {
  const linked = ['README.md', 'CONTRIBUTING.md', 'docs/alarms.md', 'docs/errands.md'].flatMap((page) =>
    [...read(page).matchAll(/\]\(([\w/-]+\.md)/g)].map(([, path]) => join(dirname(page), String(path))),
  );
  expect(pages.filter((page) => page !== 'README.md' && !linked.includes(page))).toEqual([]);
});

test('code names only pages that are there', () => {
  const files = globSync('{lib,functions,infra,panel,client,cli,test,stages,.github,examples}/**/*.{ts,tsx,md,yml}', {
    cwd: root,
  });
  const named = files.flatMap((file) => [...read(file).matchAll(/\bdocs\/[\w-]+\.md\b/g)].map(([page]) => page));
  expect(named.length).toBeGreaterThan(5);
  expect([...new Set(named)].filter((page) => !existsSync(join(root, page)) && page !== 'docs/changelog.md')).toEqual(
    [],
  );
});

test('README.md is a front door', () => {
  expect(read('README.md').split('\n').length).toBeLessThanOrEqual(150);
});

/** In the generated page of the table, one kind of key has several owners. */
test.each(pages.filter((page) => page !== 'docs/table.md'))(
  '%s has no two rows of a table that begin alike',
  (page) => {
    const tables = read(page).split(/\n(?!\s*\|)/);
    const repeated = tables.flatMap((table) => {
      const first = [...table.matchAll(/^\s*\| ([^|]+) \|/gm)].map(([, cell]) => cell?.trim());
      return first.filter((cell, index) => first.indexOf(cell) !== index);
    });
    expect(repeated).toEqual([]);
  },
);

describe.each(pages)('%s', (page) => {
  test('names files that are there', () => {
    const named = [...read(page).matchAll(/`((?:lib|functions|infra|test|docs|events)\/[\w./-]+\.\w+)`/g)].map(
      ([, file]) => String(file),
    );
    expect(named.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  test('links to pages and headings that are there', () => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]+))?\)/g)];
    const broken = links.filter(([, path = '', heading]) => {
      const file = path === '' ? page : join(dirname(page), path);
      if (!existsSync(join(root, file))) return true;
      return heading !== undefined && !anchorsOf(file).includes(heading);
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });
});

/** As GitHub makes them of headings. */
const anchorsOf = (page: string) =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    String(heading)
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
