import { beforeAll, describe, expect, test } from 'vitest';
import { commands as email } from '#infra/admin/commands/email.ts';
import { commands as invoice } from '#infra/admin/commands/invoice.ts';
import { commands as message } from '#infra/admin/commands/message.ts';
import { commands as sequence } from '#infra/admin/commands/sequence.ts';
import { commands as account } from '#infra/admin/commands/telegram-account.ts';
import { addActivity } from '#lib/contacts/activity.ts';
import { mergeContacts, merging } from '#lib/contacts/merge.ts';
import { operator } from '#lib/core/tenant.ts';
import { MergedContacts } from '#lib/entities/contact.ts';
import { isThere, mergedInto, resolveMerged } from '#lib/entities/references/merged.ts';
import { listAll } from '#lib/table/list.ts';
import { Sagas } from '#lib/table/saga.ts';
import { finishSaga, transact } from '#lib/table/transact.ts';
import { everyItem } from '#test/client.ts';
import { dyingAfter } from '#test/crash.ts';
import { trusted } from '#test/email/raw.ts';
import { eventsAbout } from '#test/feed.ts';
import { because } from '#test/refusals.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const tenant = () => ({ workspaceId: workspace.id, env: 'live' as const });
const newContact = async (fields: object = {}) =>
  (await workspace.live.post('/v1/contacts', { name: 'Ada', ...fields })).body;
const merge = (id: number, sourceContactId: number) =>
  workspace.live.post(`/v1/contacts/${id}/merge`, { sourceContactId });
const all = (path: string, query: Record<string, string | number> = {}) =>
  everyItem(workspace.live, path, { limit: 100, ...query });

/** A long life: more than one transaction can move. */
async function live(contactId: number, notes: number) {
  for (let left = notes; left > 0; left -= 90) {
    await transact(tenant(), operator, async (tx) => {
      await tx.reserveIds({ activity: Math.min(90, left) });
      for (let index = 0; index < Math.min(90, left); index += 1)
        await addActivity(tx, contactId, 'Note', { text: `note ${left - index}` });
    });
  }
}

test('contacts that are said to be merged into one another, as an archive may say, are followed once', async () => {
  const run = <Result>(work: Parameters<typeof transact<Result>>[2]) => transact(tenant(), operator, work);
  await run(async (tx) => {
    tx.create(MergedContacts, { id: 901, into: 902 });
    tx.create(MergedContacts, { id: 902, into: 901 });
  });
  expect(await run((tx) => resolveMerged(tx, 901))).toBeUndefined();
  expect(await run((tx) => mergedInto(tx, 901))).toBe(902);
  expect(await isThere(tenant(), 901)).toBe(false);
});

test('the target keeps its own values, takes those that it lacks, and the source is gone', async () => {
  const target = await newContact({ phone: '+1 555 0100', username: 'target' });
  const source = await newContact({
    name: 'Other',
    email: 'other@example.com',
    company: 'Other Ltd',
    username: 'source',
  });
  await workspace.live.post(`/v1/contacts/${source.id}/lead-score`, { score: 55 });
  await workspace.live.post(`/v1/contacts/${source.id}/assignee`, { userId: workspace.memberId });
  for (const [id, tagName] of [
    [target.id, 'both'],
    [source.id, 'both'],
    [source.id, 'source only'],
  ])
    await workspace.live.post(`/v1/contacts/${id}/tags`, { tagName });
  await workspace.live.put(`/v1/contacts/${source.id}/metadata`, { metadata: { a: 'source', b: 'source' } });
  await workspace.live.put(`/v1/contacts/${target.id}/metadata`, { metadata: { a: 'target' } });
  const { status, body } = await merge(target.id, source.id);
  expect(status).toBe(200);
  expect(body).toEqual({
    ...target,
    email: 'other@example.com',
    company: 'Other Ltd',
    leadScore: 55,
    assignedToUserId: workspace.memberId,
    tags: [expect.objectContaining({ name: 'both' }), expect.objectContaining({ name: 'source only' })],
  });
  expect((await workspace.live.get(`/v1/contacts/${target.id}`)).body).toEqual(body);
  expect((await workspace.live.get(`/v1/contacts/${target.id}/metadata`)).body.metadata).toEqual({
    a: 'target',
    b: 'source',
  });
  for (const path of ['', '/activities', '/tags', '/messages', '/metadata', '/duplicates'])
    await workspace.live.get(`/v1/contacts/${source.id}${path}`, undefined, 404);
  expect((await workspace.live.get('/v1/contacts', { username: 'source' })).body.items).toEqual([]);
  const { items } = (await workspace.live.get('/v1/tags')).body;
  expect(items.map(({ name, contactCount }: { name: string; contactCount: number }) => [name, contactCount])).toEqual([
    ['both', 1],
    ['source only', 1],
  ]);
  const events = await eventsAbout(workspace.id, `contact/${target.id}`, 4);
  expect(events.at(-1)).toEqual({
    event: 'contact.merged',
    data: {
      contact_id: String(target.id),
      source_contact_id: String(source.id),
      actor: { type: 'api_key', id: workspace.liveKey.slice(9, 21) },
    },
  });
});

test('everything that names the source names the target afterwards', async () => {
  const ids = { workspaceId: workspace.id, env: 'live' as const };
  const accounts = (await account.create.run({ ...ids, kind: 'bot', name: 'Bot', botToken: '1:x' } as never)) as {
    id: number;
  };
  const received = (await message.receive.run({
    ...ids,
    channel: 'telegram',
    accountId: accounts.id,
    from: { telegramUserId: 77, name: 'Stranger' },
    body: 'hello',
  } as never)) as { contactId: number };
  const sourceId = received.contactId;
  await workspace.live.patch(`/v1/contacts/${sourceId}`, { email: 'stranger@example.com' });
  const target = await newContact({ name: 'Grace' });
  await email.receive.run({
    ...ids,
    raw: 'From: Stranger <stranger@example.com>\r\nTo: us@example.com\r\nSubject: Hi\r\nMessage-ID: <1@example.com>\r\n\r\nHello\r\n',
    authentication: trusted.authentication,
  } as never);
  await invoice.create.run({
    ...ids,
    contactId: sourceId,
    invoiceNumber: 'I-1',
    status: 'sent',
    currency: 'EUR',
    total: 10,
    issueDate: '2026-01-01T00:00:00Z',
    dueDate: '2030-01-01T00:00:00Z',
  } as never);
  const followUp = (await sequence.create.run({
    ...ids,
    name: 'Welcome',
    channel: 'telegram',
    accountId: accounts.id,
    steps: [{ delayMinutes: 60, text: 'Hi' }],
    status: 'active',
  } as never)) as { id: number };
  await sequence.enroll.run({ ...ids, id: followUp.id, contactId: sourceId } as never);
  await workspace.live.post('/v1/deals', { title: 'Deal', contactId: sourceId });
  await workspace.live.post('/v1/tasks', { title: 'Task', contactId: sourceId });
  await workspace.live.post('/v1/finance/transactions', {
    type: 'income',
    amount: 5,
    currency: 'EUR',
    contactId: sourceId,
  });
  await workspace.live.post(`/v1/contacts/${sourceId}/activities`, { text: 'a note' });

  const paths: [string, boolean][] = [
    ['/v1/deals', true],
    ['/v1/tasks', true],
    ['/v1/finance/transactions', true],
    ['/v1/finance/invoices', true],
    ['/v1/email/threads', true],
    [`/v1/sequences/${followUp.id}/enrollments`, true],
    ['/v1/contacts/{id}/messages', false],
    ['/v1/contacts/{id}/activities', false],
  ];
  const read = (contactId: number) =>
    Promise.all(
      paths.map(([path, isFilter]) => all(path.replace('{id}', String(contactId)), isFilter ? { contactId } : {})),
    );
  const before = await read(sourceId);
  expect(before.map((rows) => rows.length > 0)).toEqual(paths.map(() => true));
  const own = await all(`/v1/contacts/${target.id}/activities`);
  expect((await merge(target.id, sourceId)).status).toBe(200);
  const after = await read(target.id);
  expect(after.map((rows) => rows.map(({ id, contactId }) => [id, contactId]))).toEqual(
    before.map((rows, index) => {
      const moved = rows.map(({ id }) => [id, target.id]);
      return index < 7 ? moved : [...moved, ...own.map(({ id }) => [id, target.id])].sort((a, b) => b[0] - a[0]);
    }),
  );
  expect(after[0]?.[0].contactName).toBe('Grace');
  expect(after[5]?.[0].contactName).toBe('Grace');
});

test('a contact without a name takes that of the source, and its deals show it', async () => {
  const target = await newContact({ name: null, username: 'nameless' });
  const source = await newContact({ name: 'Named' });
  const deal = (await workspace.live.post('/v1/deals', { title: 'Deal', contactId: target.id })).body;
  await merge(target.id, source.id);
  expect((await workspace.live.get(`/v1/deals/${deal.id}`)).body.contactName).toBe('Named');
});

test('metadata for which there is no room is in notes of the target, whole, and answered', async () => {
  const [target, source] = [await newContact(), await newContact()];
  const pairs = (from: number, count: number, value: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${from + index}`, value]));
  const put = (id: number, metadata: object) => workspace.live.put(`/v1/contacts/${id}/metadata`, { metadata });
  const own = pairs(100, 48, 'own');
  await put(target.id, own);
  await put(source.id, { ...pairs(147, 49, '😀'.repeat(500)), constructor: 'kept' });
  await merge(target.id, source.id);
  const { metadata } = (await workspace.live.get(`/v1/contacts/${target.id}/metadata`)).body;
  expect(metadata).toEqual({ ...own, constructor: 'kept', k148: '😀'.repeat(500) });
  const notes = (await all(`/v1/contacts/${target.id}/activities`, { type: 'Note' })).map(({ text }) => text);
  for (const text of notes) expect([...text].length).toBeLessThanOrEqual(10_000);
  const [title, ...lines] = notes.reverse().join('').split('\n');
  expect(title).toBe(`Of contact ${source.id}, merged into this one, which this one has of its own or no room for:`);
  const untaken = { k147: '😀'.repeat(500), ...pairs(149, 47, '😀'.repeat(500)) };
  expect(lines).toEqual(Object.entries(untaken).map(([key, value]) => `metadata.${key}: ${value}`));
  // Two changes of metadata, one note after the other, the merge and two creations.
  const events = await eventsAbout(workspace.id, `contact/${target.id}`, 3 + notes.length);
  expect(events.filter(({ event }) => event === 'contact.note_added')).toHaveLength(notes.length);
});

describe('companies of merged contacts', () => {
  const company = async (name: string): Promise<number> =>
    (await workspace.live.post('/v1/companies', { name }, 201)).body.id;
  const link = (id: number, ids: readonly number[]) =>
    workspace.live.put(`/v1/contacts/${id}/companies`, { items: ids.map((companyId) => ({ companyId })) }, 200);
  const linked = async (id: number) => (await workspace.live.get(`/v1/contacts/${id}/companies`)).body.items;

  test('are those of both, and the source is refused when they are more than ten', async () => {
    const ids: number[] = [];
    for (let made = 0; made < 11; made += 1) ids.push(await company(`Company ${made}`));
    const [target, source] = [await newContact(), await newContact()];
    await link(target.id, ids.slice(0, 5));
    await link(source.id, ids.slice(5));
    const { status, body } = await merge(target.id, source.id);
    expect([status, body.details]).toMatchObject([409, { reason: 'limit_reached', limit: 10 }]);
    await link(source.id, ids.slice(4, 10));
    expect((await merge(target.id, source.id)).status).toBe(200);
    const shown = await linked(target.id);
    expect(shown.map(({ companyId }: { companyId: number }) => companyId)).toEqual(ids.slice(0, 10));
    expect(shown.filter(({ isPrimary }: { isPrimary: boolean }) => isPrimary)).toMatchObject([{ companyId: ids[0] }]);
  });

  test('have the primary one of the source when the target shows none', async () => {
    const [first, second] = [await company('First'), await company('Second')];
    const [target, source] = [await newContact(), await newContact()];
    await link(target.id, [first, second]);
    await workspace.live.patch(`/v1/contacts/${target.id}`, { company: null }, 200);
    await link(source.id, [second]);
    expect((await merge(target.id, source.id)).body.company).toBe('Second');
    expect(await linked(target.id)).toMatchObject([{ companyId: second, isPrimary: true }]);
  });
});

test('itself, an unknown source and another platform are refused', async () => {
  const { id } = await newContact();
  const twitter = await newContact({ platform: 'twitter' });
  const self = await merge(id, id);
  expect([self.status, self.body.details.reason]).toEqual([400, 'same_contact']);
  const unknown = await merge(id, 999_999);
  expect([unknown.status, unknown.body.details.fields[0].code]).toEqual([400, 'unknown_reference']);
  const other = await merge(id, twitter.id);
  expect([other.status, other.body.details]).toEqual([409, because('platform_mismatch')]);
  await workspace.live.post(`/v1/contacts/${id}/merge`, {}, 400);
});

test('whenever the process dies, a merge of a long life moves everything exactly once or nothing', async () => {
  for (let allowedWrites = 0, survived = false; !survived; allowedWrites += 1) {
    const [target, source] = [await newContact(), await newContact()];
    await live(source.id, 120);
    survived = await dyingAfter(allowedWrites, () =>
      transact(tenant(), operator, (tx) => mergeContacts(tx, target.id, { sourceContactId: source.id })),
    );
    for (const saga of await transact(tenant(), operator, (tx) => listAll(tx, Sagas)))
      await finishSaga(tenant(), merging, saga);
    const isMerged = (await workspace.live.get(`/v1/contacts/${source.id}`)).status === 404;
    const left = isMerged ? [] : await all(`/v1/contacts/${source.id}/activities`);
    const moved = await all(`/v1/contacts/${target.id}/activities`);
    expect([isMerged, left.length, moved.length]).toEqual(isMerged ? [true, 0, 122] : [false, 121, 1]);
    expect(new Set([...left, ...moved].map(({ id }) => id)).size).toBe(122);
  }
});

test('a merge of many tags counts and finds each once, or does nothing, whenever the process dies', async () => {
  // More than one step of the saga takes; both contacts have one of the first and one of the last.
  const names = {
    source: Array.from({ length: 22 }, (_, index) => `many ${index + 3}`),
    target: ['many 1', 'many 3', 'many 24'],
  };
  for (let allowedWrites = 0, survived = false; !survived; allowedWrites += 1) {
    const { id: workspaceId, live } = await newWorkspace();
    const place = { workspaceId, env: 'live' as const };
    const tagged = async (tagNames: string[]) => {
      const { id } = (await live.post('/v1/contacts', { name: 'Ada' }, 201)).body;
      await live.post('/v1/contacts/batch', { items: tagNames.map((tagName) => ({ op: 'addTag', id, tagName })) }, 200);
      return id as number;
    };
    const [targetId, sourceId] = [await tagged(names.target), await tagged(names.source)];
    survived = await dyingAfter(allowedWrites, () =>
      transact(place, operator, (tx) => mergeContacts(tx, targetId, { sourceContactId: sourceId })),
    );
    for (const saga of await transact(place, operator, (tx) => listAll(tx, Sagas)))
      await finishSaga(place, merging, saga);
    const isMerged = (await live.get(`/v1/contacts/${sourceId}`)).status === 404;
    const tags = (await live.get('/v1/tags')).body.items as { id: number; name: string; contactCount: number }[];
    expect(tags).toHaveLength(23);
    const found = await Promise.all(tags.map(({ id }) => everyItem(live, '/v1/contacts', { limit: 100, tagId: id })));
    const wanted = (name: string) => [
      ...(!isMerged && names.source.includes(name) ? [sourceId] : []),
      ...(isMerged || names.target.includes(name) ? [targetId] : []),
    ];
    expect(found.map((contacts) => contacts.map(({ id }) => id))).toEqual(tags.map(({ name }) => wanted(name)));
    expect(tags.map(({ contactCount }) => contactCount)).toEqual(found.map(({ length }) => length));
  }
});

test('merges in a chain, and notes written during them, end with the last contact', async () => {
  const [first, second, third] = [await newContact(), await newContact(), await newContact()];
  await live(first.id, 100);
  await live(second.id, 100);
  const notes = Promise.all(
    Array.from({ length: 10 }, () => workspace.live.post(`/v1/contacts/${first.id}/activities`, { text: 'late' })),
  );
  const merged = await Promise.all([merge(second.id, first.id), merge(third.id, second.id)]);
  const written = (await notes).filter(({ status }) => status === 201).length;
  if (merged[0]?.status !== 200) expect((await merge(third.id, first.id)).status).toBe(200);
  const activities = await all(`/v1/contacts/${third.id}/activities`);
  expect(activities).toHaveLength(203 + written);
});
