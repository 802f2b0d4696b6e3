import { globSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadRoutes, loadWorkers } from '#infra/functions.ts';
import { messaging, platforms } from '#lib/core/channel.ts';
import { entriesOf } from '#lib/core/fields.ts';
import { Contacts } from '#lib/entities/contact.ts';

test('every folder of lib/channels is a channel of that name, entered in lib/core/channel.ts', () => {
  const folders = readdirSync('lib/channels', { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual([...platforms].sort());
});

test('no channel is called like an index of contacts, among whose entries its own would lie', () => {
  const indexes = Object.keys(Contacts.indexes ?? {});
  expect(platforms.filter((name) => indexes.includes(name))).toEqual([]);
});

test('no code reads the kinds of a channel directly', () => {
  const askingAnyway = globSync('lib/**/*.ts').filter((file) =>
    /messaging\[\w+\]\.kinds/.test(readFileSync(file, 'utf8')),
  );
  expect(askingAnyway).toEqual([]);
});

describe.each(Object.values(messaging))('$name', ({ name, identity, hasUsernames }) => {
  test('has a worker of its name that its queue feeds', async () => {
    const fed = (await loadWorkers()).filter(({ worker: { trigger } }) => 'queue' in trigger && trigger.queue === name);
    expect(fed.map((one) => one.name)).toEqual([`workers-${name}`]);
  });

  test('has routes to send, to follow, to cancel and to see accounts, under its path and its scopes', async () => {
    const routes = (await loadRoutes()).map(({ route, domain }) => ({ ...route, domain }));
    const own = routes.filter(({ domain, path }) => domain === name || path.startsWith(`/v1/${name}/`));
    expect(own.map(({ method, path }) => `${method} ${path}`)).toEqual(
      expect.arrayContaining([
        `POST /v1/${name}/messages`,
        `GET /v1/${name}/messages/{id}`,
        `POST /v1/${name}/messages/{id}/cancel`,
        `GET /v1/${name}/accounts`,
      ]),
    );
    for (const { domain, path, scope } of own)
      expect([domain, path, scope], path).toEqual([
        name,
        expect.stringMatching(`^/v1/${name}/`),
        expect.stringMatching(`^(${name}:|accounts:manage$)`),
      ]);
    const fields = Object.keys(
      entriesOf(own.find(({ method, path }) => method === 'POST' && path.endsWith('/messages'))?.body),
    );
    const others = Object.values(messaging).flatMap((one) => (one.name === name ? [] : [one.identity.field]));
    expect(fields).toEqual(expect.arrayContaining(['accountId', 'contactId', identity.field, 'text', 'runAt']));
    expect(fields.includes('username')).toBe(hasUsernames);
    expect(fields.filter((field) => others.some((other) => other === field))).toEqual([]);
  });

  test('is connected by an operator', async () => {
    const { commands } = await import(`../infra/admin/commands/${name}-account.ts`);
    expect(Object.keys(commands)).toEqual(expect.arrayContaining(['create', 'update', 'connect']));
  });

  test('is the only channel that its worker, its routes and its command know', () => {
    const files = globSync([
      `functions/${name}/*.ts`,
      `functions/workers/${name}.ts`,
      `infra/admin/commands/${name}-account.ts`,
    ]);
    const known = files.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(/#lib\/channels\/(\w+)\//g)]);
    expect(new Set(known.map(([, channel]) => channel))).toEqual(new Set([name]));
  });
});
