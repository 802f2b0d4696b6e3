import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, expect, test, vi } from 'vitest';
import { commands as email } from '#infra/admin/commands/email.ts';
import { commands as invoice } from '#infra/admin/commands/invoice.ts';
import { commands as message } from '#infra/admin/commands/message.ts';
import { commands as sequence } from '#infra/admin/commands/sequence.ts';
import { commands as account } from '#infra/admin/commands/telegram-account.ts';
import { addActivity } from '#lib/contacts/activity.ts';
import { deleteTag } from '#lib/contacts/delete-tag.ts';
import { mergeContacts, merging } from '#lib/contacts/merge.ts';
import { dayMs, fromNow, minuteMs, shifted } from '#lib/core/clock.ts';
import { env } from '#lib/core/env.ts';
import { operator } from '#lib/core/tenant.ts';
import { Activities } from '#lib/entities/activity.ts';
import type { StoredDelivery as Delivery } from '#lib/entities/delivery.ts';
import { Jobs } from '#lib/entities/job.ts';
import { settleAttachments } from '#lib/messages/attachments.ts';
import { erasing } from '#lib/privacy/erasure/erase.ts';
import { type Erasing, eraseContact } from '#lib/privacy/erasure/start.ts';
import { bury } from '#lib/table/dead-letter.ts';
import { indexEntries } from '#lib/table/entity.ts';
import { listAll } from '#lib/table/list.ts';
import { type Saga, Sagas } from '#lib/table/saga.ts';
import { finishSaga, transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { receiveUpdate } from '#lib/transport/receiving/telegram-update.ts';
import { endJob } from '#lib/transport/sending/end.ts';
import { eventually } from '#test/client.ts';
import { dyingAfter } from '#test/crash.ts';
import { trusted } from '#test/email/raw.ts';
import { uploaded } from '#test/files/upload.ts';
import { settle } from '#test/harness.ts';
import { everyByteOf } from '#test/rows.ts';
import { startReceiver } from '#test/webhooks/receiver.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const tenant = () => ({ workspaceId: workspace.id, env: 'live' as const });

const leftOf = async (word: string) =>
  (await everyByteOf(workspace.id)).split('\n').filter((one) => one.includes(word));

const s3 = new S3Client({ forcePathStyle: true });
async function objectsIn(Prefix: string) {
  const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: env('FILES_BUCKET'), Prefix }));
  return Contents.map(({ Key }) => Key);
}
const ids = () => ({ workspaceId: workspace.id, env: 'live' as const });
const post = async (path: string, body: object) => {
  const answer = await workspace.live.post(path, body);
  expect([path, answer.status]).toEqual([path, expect.toBeOneOf([200, 201, 202])]);
  return answer.body;
};
const get = (path: string) => workspace.live.get(path);
const newContact = (fields: object = {}) => post('/v1/contacts', { name: 'Ada', ...fields });
const erase = (id: number, confirm = String(id)) => workspace.live.post(`/v1/contacts/${id}/erasure`, { confirm });
const run = async <Answer>(command: { run(input: never): Promise<unknown> }, input: object) =>
  (await command.run({ ...ids(), ...input } as never)) as Answer;

async function erased(contactId: number) {
  const { status, body } = await erase(contactId);
  expect([status, body]).toEqual([
    202,
    { id: expect.any(Number), status: 'queued', createdAt: expect.any(String), completedAt: null, erased: null },
  ]);
  expect((await get(`/v1/contacts/${contactId}`)).status).toBe(404);
  return eventually(
    async () => {
      const erasure = (await get(`/v1/erasures/${body.id}`)).body;
      return erasure.status === 'completed' && erasure;
    },
    'the erasure is completed',
    60_000,
  );
}

async function eventsOf() {
  const events = [];
  for (let since = 0, hasMore = true; hasMore; ) {
    const { body } = await workspace.live.get('/v1/events', { since, limit: 100 });
    events.push(...body.items);
    ({ nextCursor: since, hasMore } = body);
  }
  return events;
}

const us = () => `workspace-${workspace.id}@mail.example`;
const mail = (from: string, to: string, text: string, more = '') =>
  `From: ${from}\r\nTo: ${to}\r\nSubject: About ${text}\r\nMessage-ID: <${text}@${from.split('@')[1]?.replace('>', '')}>\r\n${more}\r\n${text}\r\n`;
const mailWithFile = (from: string, text: string, ...more: string[]) =>
  [
    ...[`From: ${from}`, `To: ${us()}`, `Subject: About ${text}`, `Message-ID: <${text}@ids.example>`, ...more],
    ...['Content-Type: multipart/mixed; boundary=b', '', '--b', 'Content-Type: text/plain', '', text, '--b'],
    ...['Content-Type: application/pdf', `Content-Disposition: attachment; filename="${text}.pdf"`],
    ...['', 'bytes', '--b--', ''],
  ].join('\r\n');
const receive = (raw: string) =>
  run<{ threadId: number; messageId: number }>(email.receive, { raw, authentication: trusted.authentication });

test('no row, event or mail keeps a trace of a person, and what is not theirs alone stays', async () => {
  const marks = ['Zebulon', 'zebulon', 'secretword', '770077', '+49 170 5550123', 'Fieldword', 'fieldcode'];
  const bot = await run<{ id: number }>(account.create, { kind: 'bot', name: 'Bot', botToken: '1:x' });
  const { contactId: id } = await run<{ contactId: number }>(message.receive, {
    channel: 'telegram',
    accountId: bot.id,
    from: { telegramUserId: 770_077, username: 'zebulon_b', name: 'Zebulon' },
    body: 'my secretword',
  });
  await workspace.live.patch(`/v1/contacts/${id}`, { email: 'zebulon@secretword.example', phone: '+49 170 5550123' });
  await workspace.live.put(`/v1/contacts/${id}/metadata`, { nick: 'Zebulon' });
  for (const field of [{ slug: 'motto' }, { slug: 'code', isUnique: true }])
    await post('/v1/fields', { object: 'contact', title: 'Own', type: 'text', ...field });
  for (const motto of ['Fieldword', 'Fieldword again'])
    await workspace.live.patch(`/v1/contacts/${id}/fields`, { fields: { motto } }, 200);
  const tag = await post(`/v1/contacts/${id}/tags`, { tagName: 'friend' });
  const source = await newContact({ name: 'Zebulon too', platform: 'telegram', fields: { code: 'fieldcode' } });
  await post(`/v1/contacts/${source.id}/activities`, { text: 'secretword of the source' });
  await post(`/v1/contacts/${id}/merge`, { sourceContactId: source.id });
  const other = await newContact({ name: 'Grace', email: 'grace@example.com' });
  const own = await receive(mail('Zebulon <zebulon@secretword.example>', us(), 'secretword'));
  await post(`/v1/email/threads/${own.threadId}/replies`, { bodyText: 'Dear Zebulon' });
  const foreign = await receive(mail('Grace <grace@example.com>', us(), 'weather'));
  const invoiced = await run<{ id: number }>(invoice.create, {
    ...{ contactId: id, invoiceNumber: 'I-1', status: 'sent', currency: 'EUR', total: 10 },
    ...{ issueDate: '2026-01-01T00:00:00Z', dueDate: '2030-01-01T00:00:00Z' },
  });
  const welcome = await run<{ id: number }>(sequence.create, {
    ...{ name: 'Welcome', channel: 'telegram', accountId: bot.id, status: 'active' },
    steps: [{ delayMinutes: 60, text: 'Hi' }],
  });
  await run(sequence.enroll, { id: welcome.id, contactId: id });
  const deal = await post('/v1/deals', { title: 'Deal', value: 5, contactId: id });
  const task = await post('/v1/tasks', { title: 'Task', contactId: id });
  const income = { type: 'income', amount: 5, currency: 'EUR', contactId: id };
  const transaction = await post('/v1/finance/transactions', income);
  await post(`/v1/contacts/${id}/activities`, { text: 'a note about Zebulon' });
  const job = await post('/v1/telegram/messages', {
    ...{ accountId: bot.id, contactId: id, text: 'later, secretword', runAt: '2027-01-01T00:00:00Z' },
  });
  const before = await everyByteOf(workspace.id);
  expect(marks.filter((mark) => !before.includes(mark))).toEqual([]);

  const { erased: counts } = await erased(id);

  expect(counts).toMatchObject({ contacts: 1, emailThreads: 1, enrollments: 1, deals: 1, tasks: 1, invoices: 1 });
  expect(counts).toMatchObject({
    transactions: 1,
    identities: 2,
    jobs: expect.any(Number),
    events: expect.any(Number),
  });
  const after = await everyByteOf(workspace.id);
  const lines = after.split('\n').filter((line) => marks.some((mark) => line.includes(mark)));
  expect(lines).toEqual([]);
  for (const path of [`/v1/contacts/${source.id}`, `/v1/jobs/${job.id}`, `/v1/email/threads/${own.threadId}`])
    expect([path, (await get(path)).status]).toEqual([path, 404]);
  const unnamed = { contactId: null };
  expect((await get(`/v1/deals/${deal.id}`)).body).toMatchObject({ ...unnamed, contactName: null, value: 5 });
  expect((await get(`/v1/tasks/${task.id}`)).body).toMatchObject(unnamed);
  expect((await get(`/v1/finance/invoices/${invoiced.id}`)).body).toMatchObject({ ...unnamed, total: 10 });
  expect((await get(`/v1/finance/transactions/${transaction.id}`)).body).toMatchObject({ ...unnamed, amount: 5 });
  expect((await get(`/v1/email/threads/${foreign.threadId}`)).body).toMatchObject({ contactId: other.id });
  expect((await get(`/v1/sequences/${welcome.id}`)).body).toMatchObject({ activeCount: 0 });
  const tags = (await get('/v1/tags')).body.items;
  expect(tags.find(({ name }: { name: string }) => name === 'friend').contactCount).toBe(0);
  expect(tag).toBeDefined();

  const named = (await eventsOf()).filter(({ data }) => data.contact_id === String(id));
  expect(named.length).toBeGreaterThan(10);
  for (const { event, data, erased: isErased } of named) {
    if (event === 'contact.erased') expect(data).toEqual({ contact_id: String(id), actor: expect.any(Object) });
    else expect([event, data, isErased]).toEqual([event, { contact_id: String(id) }, true]);
  }
  expect(named.filter(({ event }) => event === 'contact.erased')).toHaveLength(1);

  // Whoever writes again is somebody new.
  const again = await run<{ contactId: number }>(message.receive, {
    channel: 'telegram',
    accountId: bot.id,
    from: { telegramUserId: 770_077, name: 'Somebody' },
    body: 'hello',
  });
  expect([id, source.id]).not.toContain(again.contactId);
});

test('a thread with another outsider stays, without the contact', async () => {
  const contact = await newContact({ name: 'Ann', email: 'ann@two.example' });
  const shared = mailWithFile('Ann <ann@two.example>', 'plans', 'Cc: Bert <bert@two.example>');
  const { threadId, messageId } = await receive(shared);
  expect((await get(`/v1/email/threads/${threadId}`)).body.contactId).toBe(contact.id);
  const [{ id }] = (await get(`/v1/contacts/${contact.id}/messages`)).body.items;
  await erased(contact.id);
  expect((await get(`/v1/email/threads/${threadId}`)).body).toMatchObject({ id: threadId, contactId: null });
  // Whoever brings its files has them only now.
  const late = { id: 1, status: 'stored', key: null, sizeBytes: 4711 } as const;
  const place = { id, mail: { threadId, id: messageId } };
  expect(await transact(tenant(), operator, (tx) => settleAttachments(tx, place, [late]))).toBe(true);
  const { body } = await get(`/v1/email/threads/${threadId}/messages`);
  expect(body.items[0].attachments).toMatchObject([{ status: 'stored', sizeBytes: 4711 }]);
});

test('events of mail that came before the contact was known lose their data with its thread', async () => {
  const from = 'Early <early@three.example>';
  const { threadId, messageId } = await receive(mailWithFile(from, 'earlybird'));
  const attachments = `/v1/email/threads/${threadId}/messages/${messageId}/attachments`;
  await eventually(async () => (await get(`${attachments}/1`)).body.status === 'stored', 'the file is stored');
  const about = async () => {
    const { body } = await workspace.live.get('/v1/events', { limit: 100, eventKind: 'message.created' });
    return body.items.find(({ data }: { data: { thread_id?: string } }) => data.thread_id === String(threadId));
  };
  const told = await about();
  const contact = await newContact({ name: 'Early', email: 'early@three.example' });
  await erased(contact.id);
  expect((await get(`/v1/email/threads/${threadId}`)).status).toBe(404);
  expect(JSON.stringify(told)).toContain('early');
  expect(await everyByteOf(workspace.id)).not.toContain('earlybird');
});

test('only with the id as confirmation, and only once', async () => {
  const { id } = await newContact();
  const wrong = await erase(id, 'yes');
  expect([wrong.status, wrong.body.details.fields[0].field]).toEqual([400, 'confirm']);
  expect((await get(`/v1/contacts/${id}`)).status).toBe(200);
  expect((await erase(999_999)).status).toBe(404);
  expect((await erase(id)).status).toBe(202);
  expect((await erase(id)).status).toBe(404);
  expect((await get('/v1/erasures/999999')).status).toBe(404);
});

/** The worker takes over what a process has left. */
const finished = () =>
  eventually(
    async () => (await transact(tenant(), operator, (tx) => listAll(tx, Sagas))).length === 0,
    'the sagas to come to an end',
    5 * minuteMs,
  );
const activitiesOf = async (tx: UnitOfWork, contactId: number) => (await listAll(tx, Activities, { contactId })).length;
const kindOf = ({ kind }: Saga) => [erasing, merging].find(({ name }) => name === kind) as unknown as typeof merging;

test('whenever the process dies, a person is erased whole or not at all', async () => {
  for (let allowedWrites = 0, survived = false; !survived; allowedWrites += 1) {
    const { id } = await newContact({ name: 'Mortal' });
    await transact(tenant(), operator, async (tx) => {
      await tx.reserveIds({ activity: 90 });
      for (let index = 0; index < 90; index += 1) await addActivity(tx, id, 'Note', { text: `note ${index}` });
    });
    const deal = await post('/v1/deals', { title: 'Deal', value: 5, contactId: id });
    survived = await dyingAfter(allowedWrites, () =>
      transact(tenant(), operator, (tx) => eraseContact(tx, id, { confirm: String(id) })),
    );
    const isErased = (await get(`/v1/contacts/${id}`)).status === 404;
    await finished();
    const rows = await transact(tenant(), operator, (tx) => activitiesOf(tx, id));
    expect([isErased, rows, (await get(`/v1/deals/${deal.id}`)).body.contactName]).toEqual(
      isErased ? [true, 0, null] : [false, 91, 'Mortal'],
    );
  }
});

test('an erasure covers mail, files and queued messages that a merge has not moved yet', async () => {
  const bot = await run<{ id: number }>(account.create, { kind: 'bot', name: 'Merging', botToken: '2:x' });
  const target = await newContact({ email: 'target@merged.example' });
  const { contactId: source } = await run<{ contactId: number }>(message.receive, {
    channel: 'telegram',
    accountId: bot.id,
    from: { telegramUserId: 880_088, name: 'Yolanda' },
    body: 'yolandaword',
  });
  await workspace.live.patch(`/v1/contacts/${source}`, { email: 'yolanda@merged.example' });
  const { threadId } = await receive(mail('Yolanda <yolanda@merged.example>', us(), 'yolandaword'));
  const later = { accountId: bot.id, contactId: source, text: 'for Yolanda', runAt: '2027-01-01T00:00:00Z' };
  const job = await post('/v1/telegram/messages', later);
  await transact(tenant(), operator, async (tx) => {
    await tx.reserveIds({ activity: 90 });
    for (let index = 0; index < 90; index += 1) await addActivity(tx, source, 'Note', { text: `note ${index}` });
  });
  await dyingAfter(1, () =>
    transact(tenant(), operator, (tx) => mergeContacts(tx, target.id, { sourceContactId: source })),
  );
  expect(await transact(tenant(), operator, (tx) => activitiesOf(tx, source))).toBeGreaterThan(0);
  const { status, body } = await erase(target.id);
  expect(status).toBe(202);
  await finished();
  expect((await get(`/v1/erasures/${body.id}`)).body.status).toBe('completed');
  expect(await transact(tenant(), operator, (tx) => activitiesOf(tx, source))).toBe(0);
  for (const path of [`/v1/jobs/${job.id}`, `/v1/email/threads/${threadId}`])
    expect([path, (await get(path)).status]).toEqual([path, 404]);
  const left = await everyByteOf(workspace.id);
  expect(left.split('\n').filter((line) => /yolanda|880088/i.test(line))).toEqual([]);
});

test('a person goes by every name of those whom the contact was made of', async () => {
  const from = 'Quentin <quentin@old.example>';
  const { threadId } = await receive(mail(from, us(), 'quentinword'));
  const [first, second, last] = [
    await newContact({ name: 'Q', platform: 'telegram', email: 'quentin@old.example', username: 'quentin_q' }),
    await newContact({ platform: 'telegram', email: 'second@new.example' }),
    await newContact({ platform: 'telegram', email: 'last@new.example' }),
  ];
  await post(`/v1/contacts/${second.id}/merge`, { sourceContactId: first.id });
  await post(`/v1/contacts/${last.id}/merge`, { sourceContactId: second.id });
  await erased(last.id);
  expect((await get(`/v1/email/threads/${threadId}`)).status).toBe(404);
  const left = await everyByteOf(workspace.id);
  expect(left.split('\n').filter((line) => /quentin|second@new/i.test(line))).toEqual([]);
});

test('an erasure keeps mail from an address that the contact had before', async () => {
  const address = 'info@before.example';
  const [one, other] = [
    await newContact({ name: 'One', email: address }),
    await newContact({ name: 'Other', email: address }),
  ];
  for (const { id } of [one, other])
    await workspace.live.patch(`/v1/contacts/${id}`, { email: `own${id}@present.example` });
  const { threadId } = await receive(mail(`Somebody <${address}>`, us(), 'infoword'));
  await erased(one.id);
  expect((await get(`/v1/email/threads/${threadId}`)).body).toMatchObject({ id: threadId, contactId: null });
  const left = await everyByteOf(workspace.id);
  expect(left).not.toContain(`own${one.id}@present.example`);
});

test('mail from an address that two have by a merge goes with the last of them', async () => {
  const address = 'twice@merged.example';
  const { threadId } = await receive(mail(`Somebody <${address}>`, us(), 'twiceword'));
  const heirs = [await newContact({ name: 'One' }), await newContact({ name: 'Other' })];
  for (const { id } of heirs) {
    const source = await newContact({ name: 'Source', email: address });
    await post(`/v1/contacts/${id}/merge`, { sourceContactId: source.id });
  }
  await erased(heirs[0].id);
  expect((await get(`/v1/email/threads/${threadId}`)).body).toMatchObject({ id: threadId, contactId: null });
  await erased(heirs[1].id);
  expect((await get(`/v1/email/threads/${threadId}`)).status).toBe(404);
  expect(await leftOf('twiceword')).toEqual([]);
});

test("the mail of another contact with the same address is that one's", async () => {
  const address = 'shared@one.example';
  const own = await newContact({ name: 'Own', email: address });
  const { threadId } = await receive(mail(`Shared <${address}>`, us(), 'sharedword'));
  expect((await get(`/v1/email/threads/${threadId}`)).body.contactId).toBe(own.id);
  const other = await newContact({ name: 'Other', email: address });
  await erased(other.id);
  expect((await get(`/v1/email/threads/${threadId}`)).body).toMatchObject({ id: threadId, contactId: own.id });
  await erased(own.id);
  expect((await get(`/v1/email/threads/${threadId}`)).status).toBe(404);
});

test('an erasure removes messages queued to the contact’s username on that platform', async () => {
  const bot = await run<{ id: number }>(account.create, { kind: 'bot', name: 'Stating', botToken: '3:x' });
  const contact = await newContact({ name: 'Vera', platform: 'telegram', username: 'Vera_V' });
  const send = (to: object) =>
    post('/v1/telegram/messages', { accountId: bot.id, text: 'for you alone', runAt: '2027-01-01T00:00:00Z', ...to });
  const [theirs, foreign] = [await send({ username: 'vera_v' }), await send({ username: 'vera_w' })];
  const { erased: counts } = await erased(contact.id);
  expect(counts).toMatchObject({ jobs: 1, messages: 1 });
  expect((await get(`/v1/jobs/${theirs.id}`)).status).toBe(404);
  expect((await get(`/v1/jobs/${foreign.id}`)).body.status).toBe('queued');
  expect(await everyByteOf(workspace.id)).not.toMatch(/vera_v/i);
});

test('an erasure keeps rows that also name another contact', async () => {
  const bot = await run<{ id: number }>(account.create, { kind: 'bot', name: 'Naming', botToken: '4:x' });
  const { threadId } = await receive(mail('Dora <dora@named.example>', us(), 'doraword'));
  const dora = { platform: 'telegram', email: 'dora@named.example', username: 'dora_d' };
  const later = { accountId: bot.id, username: 'dora_d', text: 'for Dora', runAt: '2027-01-01T00:00:00Z' };
  const job = await post('/v1/telegram/messages', later);
  const [other, named] = [await newContact({ name: 'Z', platform: 'telegram' }), await newContact(dora)];
  await newContact({ name: 'Dora', ...dora });
  await post(`/v1/contacts/${other.id}/merge`, { sourceContactId: named.id });
  await erased(other.id);
  expect((await get(`/v1/email/threads/${threadId}`)).status).toBe(200);
  expect((await get(`/v1/jobs/${job.id}`)).body.status).toBe('queued');
});

test('mail to another contact is not of whom a caller has given its thread to', async () => {
  const [ann, bob] = [
    await newContact({ email: 'ann@given.example' }),
    await newContact({ email: 'bob@given.example' }),
  ];
  const file = { fileName: 'bob.txt', contentType: 'text/plain', bytes: Buffer.from('for Bob') };
  const attachments = [await uploaded(workspace.live, file)];
  const sent = { to: ['bob@given.example'], subject: 'For Bob', bodyText: 'bobword', contactId: ann.id, attachments };
  const { threadId } = await post('/v1/email/messages', sent);
  expect((await get(`/v1/contacts/${ann.id}/export`)).body.emailThreads).toEqual([]);
  await erased(ann.id);
  expect((await get(`/v1/email/threads/${threadId}`)).body).toMatchObject({ contactId: null });
  expect(JSON.stringify((await get(`/v1/contacts/${bob.id}/export`)).body.emailMessages)).toContain('bobword');
  const [{ id }] = (await get(`/v1/email/threads/${threadId}/messages`)).body.items;
  const url: string = await eventually(async () => {
    const attachment = (await get(`/v1/email/threads/${threadId}/messages/${id}/attachments/1`)).body;
    return attachment.url?.includes('/messages/') && attachment.url;
  }, 'the file is where it stays');
  expect(await (await fetch(url)).text()).toBe('for Bob');
  await erased(bob.id);
  expect((await get(`/v1/email/threads/${threadId}`)).status).toBe(404);
  expect((await fetch(url)).status).toBe(404);
});

test('an erasure removes uploaded files and their names', async () => {
  const prefix = `uploads/${workspace.id}/live/`;
  const before = await objectsIn(prefix);
  const named = (name: string) => ({ fileName: `${name}.txt`, contentType: 'text/plain', bytes: Buffer.from(name) });
  const bot = await run<{ id: number }>(account.create, { kind: 'bot', name: 'Files', botToken: '6:x' });
  const { id } = await newContact({ email: 'ann@uploads.example', username: 'ann_uploads' });
  const runAt = fromNow(dayMs);
  await post('/v1/telegram/messages', {
    ...{ accountId: bot.id, contactId: id, text: 'a file', runAt },
    attachments: [await uploaded(workspace.live, named('uploadword-chat'))],
  });
  await post('/v1/email/messages', {
    ...{ to: ['ann@uploads.example'], subject: 'A file', bodyText: 'a file', contactId: id, runAt },
    attachments: [await uploaded(workspace.live, named('uploadword-mail'))],
  });
  expect(await objectsIn(prefix)).toHaveLength(before.length + 2);
  for (const { id: messageId } of (await get(`/v1/contacts/${id}/messages`)).body.items) {
    const attachment = `/v1/messages/${messageId}/attachments/1`;
    await eventually(
      async () => (await get(attachment)).body.url?.includes('/messages/'),
      'the file is where it stays',
    );
    expect((await get(attachment)).body).not.toHaveProperty('uploadedAs');
  }
  await erased(id);
  expect(await objectsIn(prefix)).toEqual(before);
  expect(await leftOf('uploadword')).toEqual([]);
});

/** An erasure that no worker goes on with. */
const begun = (id: number, state: Partial<Erasing> = {}) =>
  transact(tenant(), operator, async (tx) => {
    await eraseContact(tx, id, { confirm: String(id) });
    const [saga] = tx.written(Sagas) as [Saga];
    return tx.update(Sagas, { ...saga, state: { ...saga.state, ...state }, dueAt: shifted(tx.now, dayMs) });
  });

async function completed(saga: Saga): Promise<void> {
  await finishSaga(tenant(), kindOf(saga), saga);
  const { erasureId } = saga.state as Erasing;
  await eventually(
    async () => (await get(`/v1/erasures/${erasureId}`)).body.status === 'completed',
    'the erasure is completed',
    60_000,
  );
}

test('changes to messages during an erasure leave no text behind', async () => {
  const bot = await run<{ id: number }>(account.create, { kind: 'bot', name: 'Window', botToken: '5:x' });
  const base = {
    ...{ message_id: 7, date: 1_790_000_000, chat: { id: 5005, type: 'private', first_name: 'Wanda' } },
    from: { id: 5005, first_name: 'Wanda' },
  };
  const document = { file_id: 'f', file_name: 'windowword.pdf', file_size: 5 };
  await receiveUpdate(tenant(), bot.id, { update_id: 1, message: { ...base, caption: 'windowword', document } });
  const { items } = (await workspace.live.get('/v1/contacts', { q: 'Wanda' })).body;
  const { id } = items[0];
  await workspace.live.patch(`/v1/contacts/${id}`, { username: 'wanda_w' });
  const received = await eventually(async () => {
    const [message] = (await get(`/v1/contacts/${id}/messages`)).body.items;
    return message.attachments[0].status === 'failed' && message;
  }, 'nobody has the file');
  const later = { accountId: bot.id, text: 'windowword', runAt: '2027-01-01T00:00:00Z' };
  const job = await post('/v1/telegram/messages', { ...later, contactId: id });
  const named = await post('/v1/telegram/messages', { ...later, username: 'wanda_w' });
  const saga = await begun(id);

  const edited = { ...base, edit_date: 1_790_000_100, caption: 'windowword no more' };
  await receiveUpdate(tenant(), bot.id, { update_id: 2, edited_message: edited });
  await transact(tenant(), operator, (tx) =>
    settleAttachments(tx, { id: received.id, mail: null }, [{ id: 1, status: 'stored', key: null }]),
  );
  for (const sent of [job, named])
    await transact(tenant(), operator, async (tx) =>
      endJob(tx, { ...(await tx.get(Jobs, { id: sent.id })), status: 'sent' }),
    );
  const told = await eventsOf();
  expect(told.filter((event) => JSON.stringify(event).includes('windowword'))).toHaveLength(6);
  await completed(saga);

  expect(await leftOf('windowword')).toEqual([]);
  const updates = (await eventsOf()).filter(
    ({ event, data }) => event === 'message.updated' && data.contact_id === String(id),
  );
  expect(updates.map(({ data, erased: isErased }) => [data, isErased])).toEqual(
    Array(3).fill([{ contact_id: String(id) }, true]),
  );
});

const asManyAsOneRound = Array.from({ length: 5000 }, (_, index) => 900_000 + index);

test('a thread left for another round is found by its contact alone, and its files go with it', async () => {
  const { id } = await newContact({ name: 'Many', email: 'many@round.example' });
  const mailed = { to: ['elsewhere@round.example'], subject: 'Hello', bodyText: 'roundword', contactId: id };
  const sent = await post('/v1/email/messages', mailed);
  await eventually(async () => (await get(`/v1/jobs/${sent.id}`)).body.status === 'sent', 'the mail is sent', 30_000);
  const received = await receive(mailWithFile('Many <many@round.example>', 'roundword'));
  const path = `/v1/email/threads/${received.threadId}/messages/${received.messageId}/attachments/1`;
  const { url } = await eventually(async () => {
    const attachment = (await get(path)).body;
    return attachment.status === 'stored' && attachment;
  }, 'the file is stored');
  expect((await fetch(url)).status).toBe(200);
  await completed(await begun(id, { stage: 'threads', threadIds: asManyAsOneRound }));
  for (const { threadId } of [sent, received]) expect((await get(`/v1/email/threads/${threadId}`)).status).toBe(404);
  expect((await fetch(url)).status).toBe(404);
  expect(await leftOf('@round.example')).toEqual([]);
  expect(await leftOf('roundword')).toEqual([]);
});

test('a tag that is being deleted holds no erasure up', async () => {
  const { id } = await newContact({ name: 'Tagged' });
  const tag = (await post(`/v1/contacts/${id}/tags`, { tagName: 'doomed' }))[0];
  // Dead before the contact has lost it.
  await dyingAfter(1, () => transact(tenant(), operator, (tx) => deleteTag(tx, tag.id)));
  expect((await erase(id)).status).toBe(202);
});

const messageFrom = (accountId: number, telegramUserId: number, body: string) =>
  run<{ contactId: number }>(message.receive, {
    ...{ channel: 'telegram', accountId, body },
    from: { telegramUserId, name: 'Echo' },
  });
const deliveriesTo = async (endpointId: number) => (await get(`/v1/webhooks/${endpointId}/deliveries`)).body.items;
const subscribed = (url: string) => post('/v1/webhooks', { url, eventKinds: ['message.created'] });
const succeeded = (endpointId: number, count: number) =>
  eventually(async () => {
    const deliveries = await deliveriesTo(endpointId);
    const isAll = deliveries.length === count && deliveries.every(({ status }: Delivery) => status === 'succeeded');
    return isAll && deliveries;
  }, 'all are delivered');

test('an erasure removes an endpoint’s answers to the contact’s events, replays included', async () => {
  await using echo = await startReceiver(({ text, body }, response) => {
    response.setHeader('X-Echo', encodeURIComponent(body.data.body)).end(text);
  });
  const endpoint = await subscribed(echo.url);
  const bot = await run<{ id: number }>(account.create, { kind: 'bot', name: 'Echoing', botToken: '6:x' });
  const { contactId } = await messageFrom(bot.id, 606, 'echoword');
  const [first] = await succeeded(endpoint.id, 1);
  await post(`/v1/webhooks/${endpoint.id}/deliveries/${first.id}/replay`, {});
  await messageFrom(bot.id, 607, 'another word');
  for (const { responseBody } of await succeeded(endpoint.id, 3)) expect(responseBody).toContain('word');
  const { erased: counts } = await erased(contactId);
  expect(counts).toMatchObject({ deliveries: 2 });
  expect(await leftOf('echoword')).toEqual([]);
  const answers = (await deliveriesTo(endpoint.id)).map(({ responseBody }: Delivery) => responseBody);
  expect(answers).toEqual([expect.stringContaining('another word'), null, null]);
  const headers = (await deliveriesTo(endpoint.id)).map(async ({ id }: Delivery) => {
    const { attempts } = (await get(`/v1/webhooks/${endpoint.id}/deliveries/${id}`)).body;
    return attempts[0].responseHeaders['x-echo'] ?? attempts[0].responseHeaders;
  });
  expect(await Promise.all(headers)).toEqual([expect.stringMatching(/^another%20word/), {}, {}]);
  await workspace.live.delete(`/v1/webhooks/${endpoint.id}`);
});

test('an answer to what was sent before its event lost its data is waited for', async () => {
  const answers: (() => void)[] = [];
  await using echo = await startReceiver(({ text }, response) => answers.push(() => response.end(text)));
  const endpoint = await subscribed(echo.url);
  const bot = await run<{ id: number }>(account.create, { kind: 'bot', name: 'Slow', botToken: '7:x' });
  const { contactId } = await messageFrom(bot.id, 707, 'slowword');
  const attempt = settle();
  await vi.waitFor(() => expect(answers).toHaveLength(1), { timeout: 10_000, interval: 5 });
  const saga = await begun(contactId, { stage: 'events' });
  await finishSaga(tenant(), kindOf(saga), saga);
  expect(await leftOf('slowword')).not.toContainEqual(expect.stringContaining('message.created'));
  for (const answer of answers) answer();
  await attempt;
  const [delivery] = await succeeded(endpoint.id, 1);
  await completed(saga);
  const { body } = await get(`/v1/webhooks/${endpoint.id}/deliveries/${delivery.id}`);
  expect(JSON.stringify(body)).not.toContain('slowword');
  await workspace.live.delete(`/v1/webhooks/${endpoint.id}`);
});

test('an erasure completes a merge into its contact when the timer of that is a dead letter', async () => {
  const [target, source] = [await newContact(), await newContact()];
  await transact(tenant(), operator, async (tx) => {
    await tx.reserveIds({ activity: 90 });
    for (let index = 0; index < 90; index += 1) await addActivity(tx, source.id, 'Note', { text: 'deadword' });
  });
  await dyingAfter(1, () =>
    transact(tenant(), operator, (tx) => mergeContacts(tx, target.id, { sourceContactId: source.id })),
  );
  const sagas = await transact(tenant(), operator, (tx) => listAll(tx, Sagas));
  const merge = sagas.find(({ state }) => state['from'] === source.id) as Saga;
  for (const timer of indexEntries(tenant(), Sagas, merge).values()) await bury(timer, new Error('it fails'));
  await erased(target.id);
  expect(await leftOf('deadword')).toEqual([]);
});

test('more threads than one round takes go in several', async () => {
  const { id } = await newContact({ name: 'Many', email: 'many@rounds.example' });
  const threads = [];
  for (const text of ['manyone', 'manytwo', 'manythree'])
    threads.push(await receive(mail('Many <many@rounds.example>', us(), text)));
  await completed(await begun(id, { stage: 'threads', threadIds: asManyAsOneRound }));
  for (const { threadId } of threads) expect((await get(`/v1/email/threads/${threadId}`)).status).toBe(404);
  const told = (await workspace.live.get('/v1/events', { eventKind: 'contact.erased', limit: 100 })).body.items;
  expect(told.filter(({ data }: { data: { contact_id: string } }) => data.contact_id === String(id))).toHaveLength(1);
});
