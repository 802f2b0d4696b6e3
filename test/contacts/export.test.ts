import { globSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, test } from 'vitest';
import { commands as email } from '#infra/admin/commands/email.ts';
import { commands as invoice } from '#infra/admin/commands/invoice.ts';
import { commands as message } from '#infra/admin/commands/message.ts';
import { commands as sequence } from '#infra/admin/commands/sequence.ts';
import { commands as account } from '#infra/admin/commands/telegram-account.ts';
import { dayMs, shifted } from '#lib/core/clock.ts';
import { env } from '#lib/core/env.ts';
import { scopes } from '#lib/core/scopes.ts';
import { operator } from '#lib/core/tenant.ts';
import { Contacts, type StoredContact } from '#lib/entities/contact.ts';
import { Exports } from '#lib/entities/export.ts';
import { namingContacts } from '#lib/entities/naming-contacts.ts';
import { removeFolder } from '#lib/files/bucket.ts';
import { exportFolder } from '#lib/files/keys.ts';
import { nextText, type Place, parts } from '#lib/privacy/export/document.ts';
import { type Exporting, exporting, exportingIn } from '#lib/privacy/export/file.ts';
import { newSaga, type Saga, Sagas } from '#lib/table/saga.ts';
import { finishSaga, transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import openapi from '#openapi' with { type: 'json' };
import { type Answer, type Client, eventually, everyItem } from '#test/client.ts';
import { fillTimeline } from '#test/contacts/timeline.ts';
import { dyingAfter } from '#test/crash.ts';
import { trusted } from '#test/email/raw.ts';
import type { CauseEvents, Causing } from '#test/events/causing.ts';
import { everyByteOf } from '#test/rows.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const tenant = () => ({ workspaceId: workspace.id, env: 'live' as const });
const post = async (path: string, body: object) => {
  const answer = await workspace.live.post(path, body);
  expect([path, answer.status]).toEqual([path, expect.toBeOneOf([200, 201, 202])]);
  return answer.body;
};
const get = async (path: string) => {
  const { status, body } = await workspace.live.get(path);
  expect([path, status]).toEqual([path, 200]);
  return body;
};
const newContact = (fields: object = {}) => post('/v1/contacts', { name: 'Ada', ...fields });
const run = async <Answer>(command: { run(input: never): Promise<unknown> }, input: object) =>
  (await command.run({ ...tenant(), ...input } as never)) as Answer;
const exported = (id: number, client: Client = workspace.live): Promise<Answer> =>
  client.get(`/v1/contacts/${id}/export`);

const withoutMail = async () =>
  (await workspace.mint({ scopes: scopes.filter((scope) => scope !== 'email:read') })).client;

const us = () => `workspace-${workspace.id}@mail.example`;
const mail = (from: string, text: string) =>
  `From: ${from}\r\nTo: ${us()}\r\nSubject: About ${text}\r\nMessage-ID: <${text}@${from.split('@')[1]?.replace('>', '')}>\r\n\r\n${text}\r\n`;
const receive = (from: string, text: string) =>
  run<{ threadId: number }>(email.receive, { raw: mail(from, text), authentication: trusted.authentication });

/** Nouns whose causes of events leave a contact with one of them. */
const ownNouns = globSync('test/*/causes.ts')
  .map((file) => basename(dirname(file)))
  .filter((noun) => parts.some(({ list }) => list === noun));
const causesOf = (noun: string): Promise<{ causeEvents: CauseEvents }> => import(resolve(`test/${noun}/causes.ts`));

describe('somebody of whom there is one of everything', () => {
  const from = 'Trillian <trillian@heart.example>';
  let id: number;
  let sequenceId: number;
  let threads: number[];
  let document: Answer['body'];

  beforeAll(async () => {
    const early = await receive(from, 'dawnchorus');
    const bot = await run<{ id: number }>(account.create, { kind: 'bot', name: 'Bot', botToken: '1:x' });
    ({ contactId: id } = await run<{ contactId: number }>(message.receive, {
      channel: 'telegram',
      accountId: bot.id,
      from: { telegramUserId: 770_099, username: 'trillian_b', name: 'Trillian' },
      body: 'hello',
    }));
    await workspace.live.patch(`/v1/contacts/${id}`, { email: 'trillian@heart.example' });
    await workspace.live.put(`/v1/contacts/${id}/metadata`, { metadata: { nick: 'Tri', constructor: 'x' } });
    for (const object of ['contact', 'deal', 'task'])
      await post('/v1/fields', { object, slug: 'nickname', title: 'Nickname', type: 'text' });
    const old = await post('/v1/fields', { object: 'contact', slug: 'old_name', title: 'Old name', type: 'text' });
    await workspace.live.patch(`/v1/contacts/${id}`, { fields: { nickname: 'Tri', old_name: 'Tricia' } }, 200);
    await workspace.live.post(`/v1/fields/${old.id}/archive`, {}, 200);
    await post(`/v1/contacts/${id}/tags`, { tagName: 'friend' });
    const own = await receive(from, 'mailword');
    await post(`/v1/email/threads/${own.threadId}/replies`, { bodyText: 'Dear mailword' });
    threads = [own.threadId, early.threadId];
    await receive('Grace <grace@example.com>', 'weather');
    await run(invoice.create, {
      ...{ contactId: id, invoiceNumber: 'I-1', status: 'sent', currency: 'EUR', total: 10 },
      ...{ issueDate: '2026-01-01T00:00:00Z', dueDate: '2030-01-01T00:00:00Z' },
    });
    ({ id: sequenceId } = await run<{ id: number }>(sequence.create, {
      ...{ name: 'Welcome', channel: 'telegram', accountId: bot.id, status: 'active' },
      steps: [{ delayMinutes: 60, text: 'Hi' }],
    }));
    await run(sequence.enroll, { id: sequenceId, contactId: id });
    const deal = await post('/v1/deals', { title: 'Deal', value: 5, contactId: id });
    await workspace.live.put(`/v1/deals/${deal.id}/metadata`, { metadata: { source: 'fair' } });
    await workspace.live.patch(`/v1/deals/${deal.id}/fields`, { fields: { nickname: 'Big one' } }, 200);
    await post('/v1/tasks', { title: 'Task', contactId: id, dueAt: '2026-01-01T00:00:00Z' });
    const asOperator: Causing['asOperator'] = (work) => transact(tenant(), operator, work);
    for (const { causeEvents } of await Promise.all(ownNouns.map(causesOf)))
      await causeEvents({ live: workspace.live, post, asOperator, contactId: id });
    await post('/v1/finance/transactions', { type: 'income', amount: 5, currency: 'EUR', contactId: id });
    await post('/v1/telegram/messages', {
      ...{ accountId: bot.id, contactId: id, text: 'later', runAt: '2027-01-01T00:00:00Z' },
    });
    // Another person's rows stand beside all of them.
    const other = await newContact({ name: 'Grace', email: 'grace@example.com' });
    await post('/v1/deals', { title: 'Other deal', value: 5, contactId: other.id });
    await post(`/v1/contacts/${other.id}/activities`, { text: 'a note about Grace' });
    const { status, body, headers } = await exported(id);
    expect([status, headers['content-type']]).toEqual([200, 'application/json']);
    document = body;
  });

  const all = (path: string) => everyItem(workspace.live, path, { contactId: id, limit: 100 });
  const listed = async (path: string) => {
    const items = await all(path);
    const parts = ['metadata', 'fields'].filter((part) => `${path}/{id}/${part}` in openapi.paths);
    const whole = async (one: { id: number }) =>
      Object.assign({ ...one }, ...(await Promise.all(parts.map((part) => get(`${path}/${one.id}/${part}`)))));
    return Promise.all(items.map((one) => whole(one as { id: number })));
  };

  test('all of it is in the document, as its own operation shows it', async () => {
    const at = `/v1/contacts/${id}`;
    expect(document).toEqual({
      exportedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
      contact: await get(at),
      ...(await get(`${at}/metadata`)),
      fields: { nickname: 'Tri', old_name: 'Tricia' },
      addresses: (await get(`${at}/addresses`)).items,
      companies: (await get(`${at}/companies`)).items,
      channels: (await get(`${at}/channels`)).items,
      conversation: await get(`/v1/conversations/${document.conversation.id}`),
      activities: await everyItem(workspace.live, `${at}/activities`),
      messages: await everyItem(workspace.live, `${at}/messages`),
      ...Object.fromEntries(await Promise.all(ownNouns.map(async (noun) => [noun, await listed(`/v1/${noun}`)]))),
      enrollments: await everyItem(workspace.live, `/v1/sequences/${sequenceId}/enrollments`),
      jobs: await all('/v1/jobs'),
      invoices: await all('/v1/finance/invoices'),
      transactions: await all('/v1/finance/transactions'),
      identities: expect.arrayContaining([
        { channel: 'telegram', userId: '770099', username: 'trillian_b' },
        { channel: 'telegram', userId: null, username: 'trillian_b' },
      ]),
      emailThreads: await Promise.all(threads.map((thread) => get(`/v1/email/threads/${thread}`))),
      emailMessages: (
        await Promise.all(threads.map((thread) => everyItem(workspace.live, `/v1/email/threads/${thread}/messages`)))
      ).flat(),
    });
    expect(document.conversation.contactId).toBe(id);
    expect(document.identities).toHaveLength(2);
    expect(document.emailMessages.map(({ bodyText }: { bodyText: string }) => bodyText.trim())).toEqual(
      expect.arrayContaining(['dawnchorus', 'mailword']),
    );
  });

  test('every entity that names contacts has its part in it', () => {
    const shown = parts.map(({ of }) => of.name);
    // A record that names this one in a custom field, and the history of a company, are about somebody else.
    const others: string[] = [Contacts.name, Exports.name, 'company', 'company-activity'];
    const naming = namingContacts.map(({ name }) => name).filter((name) => !others.includes(name));
    expect(naming.filter((name) => !shown.includes(name))).toEqual([]);
    for (const { list } of parts) expect([list, document[list].length]).toEqual([list, expect.toSatisfy((n) => n > 0)]);
  });

  test('without email:read it has no mail, in no list', async () => {
    const { status, body } = await exported(id, await withoutMail());
    const { emailThreads: _, emailMessages: __, exportedAt: ___, ...others } = document;
    const isElse = ({ channel }: { channel: string }) => channel !== 'email';
    const jobs = document.jobs.filter(isElse);
    const messages = document.messages.filter(isElse);
    const conversation = { ...document.conversation, channels: ['telegram'], unreadCount: 1, lastMessage: null };
    const expected = { ...others, conversation, jobs, messages, exportedAt: expect.any(String) };
    expect([status, body]).toEqual([200, expected]);
    expect([jobs.length < document.jobs.length, messages.length < document.messages.length]).toEqual([true, true]);
    expect(JSON.stringify(body)).not.toMatch(/dawnchorus|mailword/);
  });

  test('it has one ETag for as long as nothing changes', async () => {
    const { headers } = await exported(id);
    const path = `/v1/contacts/${id}/export`;
    const unchanged = await workspace.live.get(path, {}, { 'if-none-match': String(headers['etag']) });
    expect(unchanged.status).toBe(304);
  });

  test('others do not see that there is somebody', async () => {
    const stranger = await newWorkspace();
    for (const client of [stranger.live, workspace.test]) expect([(await exported(id, client)).status]).toEqual([404]);
    expect((await exported(999_999)).status).toBe(404);
  });
});

test('the export of a contact includes the rows of contacts merged into it', async () => {
  const [target, source] = [await newContact({ name: 'Ann' }), await newContact({ name: 'Anna' })];
  const note = await post(`/v1/contacts/${source.id}/activities`, { text: 'known as Anna' });
  const deal = await post('/v1/deals', { title: 'Deal', value: 5, contactId: source.id });
  await post(`/v1/contacts/${target.id}/merge`, { sourceContactId: source.id });
  const { body } = await exported(target.id);
  expect(body.activities).toContainEqual({ ...note, contactId: target.id });
  expect(body.deals).toMatchObject([{ id: deal.id, contactId: target.id, contactName: 'Ann' }]);
  expect((await exported(source.id)).status).toBe(404);
});

/** More than an answer holds, in this many notes. */
const large = 120;
/** Three pages, each of which is a piece here. */
const veryLarge = 250;
const inSmallPieces = exportingIn(500_000);

/** The document as the walk gives it. */
async function walked(contactId: number, exportedAt: string): Promise<string> {
  const tx = UnitOfWork.forAnswer(tenant(), operator);
  const contact = (await tx.find(Contacts, { id: contactId })) as StoredContact;
  let all = '';
  let place: Place | undefined;
  do {
    const { text, next } = await nextText(tx, { contact, hasMail: true, exportedAt }, place);
    all += text;
    place = next;
  } while (place);
  return all;
}

/** The keys of everything that is written of an export. */
async function filesOf(exportId: number): Promise<string[]> {
  const Prefix = exportFolder(tenant(), exportId);
  const s3 = new S3Client({ forcePathStyle: true });
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: env('FILES_BUCKET'), Prefix }));
  return Contents.map(({ Key }) => String(Key));
}

const completed = (id: number, client?: Client) =>
  eventually(
    async () => {
      const { status, body } = await exported(id, client);
      expect([status, body.status]).toEqual([202, expect.toBeOneOf(['queued', 'running', 'completed'])]);
      return body.status === 'completed' && body;
    },
    'the file',
    60_000,
  );

const erase = (id: number) => post(`/v1/contacts/${id}/erasure`, { confirm: String(id) });
const erased = (erasureId: number) =>
  eventually(
    async () => (await get(`/v1/erasures/${erasureId}`)).status === 'completed',
    'the erasure is completed',
    60_000,
  );

test('more than a megabyte is a file, which holds what the walk gives', async () => {
  const { id } = await newContact({ name: 'Large' });
  await fillTimeline(tenant(), id, large);
  const begun = await exported(id);
  expect([begun.status, begun.body, begun.headers['location']]).toEqual([
    202,
    {
      ...{ id: expect.any(Number), status: 'queued', createdAt: expect.any(String), completedAt: null },
      ...{ sizeBytes: null, url: null, expiresAt: null },
    },
    `/v1/contacts/${id}/export`,
  ]);
  const file = await completed(id);
  expect([file.id, file.expiresAt > file.completedAt]).toEqual([begun.body.id, true]);
  const answer = await fetch(file.url);
  expect([answer.status, answer.headers.get('content-type'), answer.headers.get('content-disposition')]).toEqual([
    200,
    'application/json',
    expect.stringMatching(new RegExp(`^attachment; filename="contact-${id}.json"`)),
  ]);
  const text = await answer.text();
  expect(Buffer.byteLength(text)).toBe(file.sizeBytes);
  expect(text).toBe(await walked(id, file.createdAt));
  expect(JSON.parse(text).activities).toEqual(
    await everyItem(workspace.live, `/v1/contacts/${id}/activities`, { limit: 100 }),
  );
  await eventually(async () => (await filesOf(file.id)).length === 1, 'the pieces to be gone');
  // Whoever may not read mail is given a file of their own.
  expect((await completed(id, await withoutMail())).id).not.toBe(file.id);
  expect((await exported(id)).body.id).toBe(file.id);
});

test('an hour later the same call makes another file, and none is shown whose maker was given up', async () => {
  const { id } = await newContact();
  await fillTimeline(tenant(), id, large);
  const { id: first } = await completed(id);
  const change = (of: object) =>
    transact(tenant(), operator, async (tx) => {
      const row = await tx.get(Exports, { id: first });
      tx.update(Exports, { ...row, ...of });
    });
  const { completedAt } = await transact(tenant(), operator, (tx) => tx.get(Exports, { id: first }));
  await change({ completedAt: shifted(String(completedAt), -dayMs / 24) });
  const { id: second } = await completed(id);
  expect(second).not.toBe(first);
});

/** An export that no worker goes on with. */
async function begun(contactId: number): Promise<{ exportId: number; saga: Saga }> {
  return transact(tenant(), operator, async (tx) => {
    const { id: exportId } = tx.create(Exports, {
      id: await tx.nextId(Exports),
      ...{ status: 'queued', createdAt: tx.now, completedAt: null, sizeBytes: null },
      ...{ contactId, madeOf: contactId, hasMail: true },
    });
    const state: Exporting = { exportId, contactId, place: null, isWhole: false, pieces: [], sizeBytes: 0 };
    const saga = tx.create(Sagas, { ...newSaga(tx, exporting, state), dueAt: shifted(tx.now, dayMs) });
    return { exportId, saga };
  });
}
const finish = (saga: Saga, kind = inSmallPieces) => finishSaga(tenant(), kind as never, saga);
const exportOf = (id: number) => transact(tenant(), operator, (tx) => tx.find(Exports, { id }));
const sagaOf = (id: string) => transact(tenant(), operator, (tx) => tx.find(Sagas, { id }));

test('whenever the process dies, the file becomes whole', async () => {
  const { id } = await newContact({ name: 'Mortal' });
  await fillTimeline(tenant(), id, veryLarge);
  let writes = 0;
  for (let survived = false; !survived; writes += 1) {
    const { exportId, saga } = await begun(id);
    survived = await dyingAfter(writes, () => finish(saga));
    if (!survived) expect((await exportOf(exportId))?.status).toBe(writes === 0 ? 'queued' : 'running');
    await finish(saga);
    const file = (await exported(id)).body;
    expect([file.id, file.status]).toEqual([exportId, 'completed']);
    const text = await (await fetch(file.url)).text();
    expect(text === (await walked(id, file.createdAt))).toBe(true);
  }
  // Pieces, and making them one.
  expect(writes).toBeGreaterThan(4);
});

test('a piece that is gone ends the try, and not the process', async () => {
  const { id } = await newContact();
  await fillTimeline(tenant(), id, large);
  const { exportId, saga } = await begun(id);
  await dyingAfter(1, () => finish(saga, exporting));
  await removeFolder(exportFolder(tenant(), exportId));
  await expect(finish(saga, exporting)).rejects.toThrow('does not exist');
  expect([(await exportOf(exportId))?.status, await filesOf(exportId)]).toEqual(['running', []]);
});

test('two concurrent writers of an export make one document', async () => {
  const { id } = await newContact();
  await fillTimeline(tenant(), id, veryLarge);
  const { saga } = await begun(id);
  // One of them may find the other one in its way for so long that it gives up.
  await Promise.allSettled([finish(saga), finish(saga)]);
  await finish(saga);
  const file = (await exported(id)).body;
  expect((await (await fetch(file.url)).text()) === (await walked(id, file.createdAt))).toBe(true);
});

test('an erasure removes complete and unfinished exports, those of merged contacts included', async () => {
  const [target, source] = [await newContact(), await newContact()];
  await fillTimeline(tenant(), target.id, veryLarge, 'zyzzyva');
  await fillTimeline(tenant(), source.id, large, 'zyzzyva');
  const [ofTarget, ofSource] = [await completed(target.id), await completed(source.id)];
  await post(`/v1/contacts/${target.id}/merge`, { sourceContactId: source.id });
  // The other one's is not the target's.
  expect((await exported(target.id)).body.id).toBe(ofTarget.id);
  const { exportId, saga } = await begun(target.id);
  await dyingAfter(2, () => finish(saga));
  const files = (await Promise.all([ofTarget.id, ofSource.id, exportId].map(filesOf))).map(({ length }) => length > 0);
  expect(files).toEqual([true, true, true]);

  await erased((await erase(target.id)).id);
  // A worker that was at it comes back with a piece.
  expect((await sagaOf(saga.id))?.state).toMatchObject({ contactId: target.id });
  await finish(saga);

  expect(await sagaOf(saga.id)).toBeUndefined();
  for (const one of [ofTarget.id, ofSource.id, exportId])
    expect([await exportOf(one), await filesOf(one)]).toEqual([undefined, []]);
  expect(await everyByteOf(workspace.id)).not.toContain('zyzzyva');
  expect((await exported(target.id)).status).toBe(404);
  expect((await fetch(ofTarget.url)).status).toBe(404);
});

test('an export of a contact ends when that is merged, and the next call begins anew', async () => {
  const [target, source] = [await newContact(), await newContact()];
  await fillTimeline(tenant(), source.id, veryLarge);
  const { exportId, saga } = await begun(source.id);
  await dyingAfter(2, () => finish(saga));
  await post(`/v1/contacts/${target.id}/merge`, { sourceContactId: source.id });
  await finish(saga);
  expect([await exportOf(exportId), await sagaOf(saga.id), await filesOf(exportId)]).toEqual([
    undefined,
    undefined,
    [],
  ]);
  const file = await completed(target.id);
  const { activities } = JSON.parse(await (await fetch(file.url)).text());
  expect(activities.length).toBeGreaterThan(veryLarge);
});
