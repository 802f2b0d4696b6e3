import * as v from 'valibot';
import { beforeAll, describe, expect, test } from 'vitest';
import { createDemo } from '#infra/local/demo.ts';
import { Keys } from '#lib/auth/key.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { Activities } from '#lib/entities/activity.ts';
import { entities } from '#lib/entities/all.ts';
import { Companies, CompanyActivities } from '#lib/entities/company.ts';
import { DataExports } from '#lib/entities/data-export.ts';
import { Deliveries } from '#lib/entities/delivery.ts';
import { EmailMessages } from '#lib/entities/email-message.ts';
import { Threads } from '#lib/entities/email-thread.ts';
import { Enrollments } from '#lib/entities/enrollment.ts';
import { Feed } from '#lib/entities/feed-event.ts';
import { Messages } from '#lib/entities/message.ts';
import { Pipelines } from '#lib/entities/pipeline.ts';
import { SavedReplies } from '#lib/entities/saved-reply.ts';
import { Sequences } from '#lib/entities/sequence.ts';
import { Tags } from '#lib/entities/tag.ts';
import type { Entity } from '#lib/table/entity.ts';
import { listAll, listPage } from '#lib/table/list.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import document from '#openapi' with { type: 'json' };
import type { Client } from '#test/client.ts';
import { makeMissing } from '#test/contract/make-missing.ts';
import { settle } from '#test/harness.ts';
import { breakRow } from '#test/table/break-row.ts';
import { clientOf } from '#test/workspace.ts';

/** Made of no rows of their own, or of what an index keeps of them; that of requests has its own test. */
const derived = [
  '/v1/analytics/messaging',
  '/v1/companies/{id}/contacts',
  '/v1/companies/{id}/duplicates',
  '/v1/contacts/{id}/addresses',
  '/v1/contacts/{id}/channels',
  '/v1/contacts/{id}/companies',
  '/v1/contacts/{id}/duplicates',
  '/v1/conversations',
  '/v1/pipelines/{id}/columns',
  '/v1/request-logs',
  '/v1/search',
  '/v1/telegram/messages',
  '/v1/webhooks/event-kinds',
];

type Operations = Record<string, { get?: { responses: Record<string, unknown> } }>;
const paths = document.paths as unknown as Operations;
const isList = (path: string) => {
  const answer = JSON.stringify(paths[path]?.get?.responses['200'] ?? {});
  const name = /schemas\/(\w+)"/.exec(answer)?.[1] ?? '';
  const schema = (document.components.schemas as unknown as Record<string, { properties?: object }>)[name];
  return answer.includes('"hasMore"') || 'items' in (schema?.properties ?? {});
};
const lists = Object.keys(paths).filter(isList);

/** What a list is made of, and the field by which its rows know the resource in its path, or that they lie with. */
type MadeOf = [of: Entity, parent?: string];

/** A list is made of what it is called after, but for these. */
const calledOtherwise: Record<string, MadeOf> = {
  '/v1/activities': [Activities, 'contactId'],
  '/v1/companies': [Companies],
  '/v1/companies/{id}/activities': [CompanyActivities, 'companyId'],
  '/v1/contacts/{id}/activities': [Activities, 'contactId'],
  '/v1/contacts/{id}/messages': [Messages, 'contactId'],
  '/v1/email/threads': [Threads],
  '/v1/email/threads/{id}/messages': [EmailMessages, 'threadId'],
  '/v1/events': [Feed],
  '/v1/exports': [DataExports],
  '/v1/messages': [Messages, 'contactId'],
  '/v1/pipelines': [Pipelines],
  '/v1/saved-replies': [SavedReplies],
  '/v1/sequences': [Sequences],
  '/v1/sequences/{id}/enrollments': [Enrollments, 'sequenceId'],
  '/v1/webhooks/{id}/deliveries': [Deliveries, 'endpointId'],
};

const shownBy: Record<string, MadeOf> = Object.fromEntries(
  lists
    .filter((path) => !derived.includes(path))
    .flatMap((path): [string, MadeOf][] => {
      const namesake = [...entities, Keys].find(({ name }) => path.endsWith(`/${name}s`));
      const of: MadeOf | undefined = calledOtherwise[path] ?? (namesake && [namesake]);
      return of ? [[path, of]] : [];
    }),
);

let tenant: Tenant;
let client: Client;
beforeAll(async () => {
  const { workspaceId } = await createDemo();
  tenant = { workspaceId, env: 'test' };
  client = await clientOf(workspaceId, 'test');
  const { body: endpoint } = await client.post('/v1/webhooks', {
    url: 'https://example.com/hooks',
    eventKinds: ['webhook.test'],
  });
  for (let count = 0; count < 2; count += 1) await client.post(`/v1/webhooks/${endpoint.id}/test`, {});
  await makeMissing(client, tenant);
  // Audit events are numbered when they are published.
  await settle();
});

test('a decision by a list fails when an item cannot be read', async () => {
  const [bad] = await itemsOf('/v1/tags');
  const mend = await breakRow(tenant, Tags, { id: Number(bad?.id) }, 'color');
  try {
    const taken = { tagName: 'one that may be the broken one' };
    await client.post(`/v1/contacts/${(await itemsOf('/v1/contacts'))[0]?.id}/tags`, taken, 500);
    await expect(listAll(deciding(), Tags)).rejects.toThrow(v.ValiError);
    await expect(listPage(deciding(), Tags, { limit: 10 })).rejects.toThrow(v.ValiError);
  } finally {
    await mend();
  }
});
const deciding = () => new UnitOfWork(tenant, operator);

test('every list is known', () => {
  expect([...Object.keys(shownBy), ...derived].sort()).toEqual(lists.sort());
});

interface Shown {
  id: number;
  sequence: number;
  keyId: string;
  contactId?: number;
}

const itemsOf = async (path: string): Promise<Shown[]> => {
  const { status, body } = await client.get(path, isPaged(path) ? { limit: 100 } : {});
  if (status !== 200) throw new Error(`GET ${path} answers ${status} ${JSON.stringify(body)}`);
  return body.items;
};
const isPaged = (path: string) => !/tags$|revenue-sources$/.test(path);

/** The list of the first resource that has one with something in it. */
async function listWithItems(path: string): Promise<{ at: string; parentId: number | undefined; items: Shown[] }> {
  const [, collection] = /^(.*)\/\{id\}/.exec(path) ?? [];
  if (collection === undefined) return { at: path, parentId: undefined, items: await itemsOf(path) };
  for (const { id } of await itemsOf(collection)) {
    const at = path.replace('{id}', String(id));
    const items = await itemsOf(at);
    if (items.length > 0) return { at, parentId: id, items };
  }
  throw new Error(`nothing is in any ${path}`);
}

/** A field without which the row is none. */
function fieldOf({ schema }: Entity, parent: string | undefined): string {
  const entries = Object.entries((schema as unknown as { entries: Record<string, v.GenericSchema> }).entries);
  const known = ['id', 'sequence', 'keyId', parent];
  const [name] =
    entries.find(([one, of]) => !known.includes(one) && !v.safeParse(of, { unreadable: '' }).success) ?? [];
  if (name === undefined) throw new Error('any value will do');
  return name;
}

/** Returns the last row of a list, and what makes it unreadable. */
async function lastOf([path, [of, parent]]: [string, MadeOf]) {
  const { at, parentId, items } = await listWithItems(path);
  const bad = items.at(-1) as Shown;
  const place = {
    ...{ id: bad.id, sequence: bad.sequence, keyId: bad.keyId },
    ...(parent && { [parent]: parentId ?? bad.contactId }),
  };
  return { at, items, bad, spoil: () => breakRow(tenant, of, place as never, fieldOf(of, parent) as never) };
}

describe.each(Object.entries(shownBy))('GET %s', (path, madeOf) => {
  test('leaves out a row that cannot be read', async () => {
    const { at, items, bad, spoil } = await lastOf([path, madeOf]);
    const mend = await spoil();
    try {
      const left = await itemsOf(at);
      const isSame = (one: Shown) => (one.sequence ?? one.id) === (bad.sequence ?? bad.id);
      const before = new Set(items.filter((one) => !isSame(one)).map(({ id }) => id));
      expect(left.some(isSame)).toBe(false);
      // Meanwhile there may be more: of audit events, for instance.
      expect([...before].filter((id) => !left.some((one) => one.id === id))).toEqual([]);
      const one = `${path}/{id}`;
      if (paths[one]?.get) await client.get(`${at}/${bad.id}`, undefined, 500);
    } finally {
      await mend();
    }
    expect((await itemsOf(at)).map(({ id }) => id)).toEqual(expect.arrayContaining([bad.id]));
  });
});

test('no list fails for a row of another that cannot be read', async () => {
  const rows = await Promise.all(Object.entries(shownBy).map(lastOf));
  const mends: (() => Promise<void>)[] = [];
  for (const { spoil } of rows) mends.push(await spoil());
  try {
    for (const path of Object.keys(shownBy).filter((one) => !one.includes('{'))) await itemsOf(path);
  } finally {
    for (const mend of mends.reverse()) await mend();
  }
});
