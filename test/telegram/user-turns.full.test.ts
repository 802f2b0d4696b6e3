import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commands } from '#infra/admin/commands/email.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import { Senders } from '#lib/entities/sender.ts';
import { Transfers } from '#lib/entities/transfer.ts';
import { type Client, eventually } from '#test/client.ts';
import { trusted } from '#test/email/raw.ts';
import { person } from '#test/telegram/data-centre.ts';
import { type Listening, persons, somebody } from '#test/telegram/persons.ts';
import { newWorkspace } from '#test/workspace.ts';

let live: Client;
let tenant: Tenant;
const { inTenant, listening, hurry, looked, conversation, close } = persons(() => ({ live, tenant }));

beforeAll(async () => {
  const workspace = await newWorkspace();
  live = workspace.live;
  tenant = { workspaceId: workspace.id, env: 'live' };
});
afterAll(close);

/** A stranger sends the account so many files, each in a message. Returns the messages' ids. */
async function flooded(account: Listening, count: number): Promise<number[]> {
  const stranger = somebody();
  for (let index = 0; index < count; index += 1)
    account.box.write(stranger, '', { media: account.files.add({ bytes: randomBytes(1000) }) });
  await looked(account);
  const messages = await conversation(account, stranger);
  expect(messages).toHaveLength(count);
  return messages.map(({ id }: { id: number }) => id);
}

const statusOf = async (messageId: number) =>
  (await live.get(`/v1/messages/${messageId}/attachments/1`)).body.status as string;
const stored = async (messageIds: readonly number[]) => {
  for (const id of messageIds) await eventually(async () => (await statusOf(id)) !== 'pending', 'a file to be fetched');
  expect(new Set(await Promise.all(messageIds.map(statusOf)))).toEqual(new Set(['stored']));
};

/** Every next call of the method waits until that is called, and then for so long. */
function held(account: Listening, method: Parameters<Listening['delay']>[0], slowMs = 0) {
  const { promise, resolve } = Promise.withResolvers<void>();
  account.delay(method, () => promise.then(() => sleep(slowMs)));
  return resolve;
}

const senderOf = ({ id }: Listening) => inTenant((tx) => tx.get(Senders, { id }));
const begun = ({ ledger }: Listening, method: string) => ledger.filter((one) => one === method).length;

/** Queues a message, and waits until whoever uses the account knows of it. */
async function wanted(account: Listening): Promise<number> {
  const { body } = await live.post('/v1/telegram/messages', {
    ...{ accountId: account.id, username: person.username, text: 'Now' },
  });
  await eventually(async () => (await senderOf(account)).isChanged, 'a sender to want the account');
  return body.id;
}

const sent = (jobId: number) =>
  eventually(async () => (await live.get(`/v1/jobs/${jobId}`)).body.status === 'sent', 'the message to be sent');

test('a message leaves after the file under way, before others that wait for the account', async () => {
  const account = await listening();
  const goOn = held(account, 'upload.getFile', 500);
  const files = await flooded(account, 12);
  await eventually(async () => begun(account, 'upload.getFile') > 0, 'the first file to be begun');
  const job = await wanted(account);
  goOn();
  await sent(job);
  const before = account.ledger.slice(0, account.ledger.indexOf('messages.sendMessage'));
  expect(begun({ ...account, ledger: before }, 'upload.getFile')).toBe(1);
  await stored(files);
  expect(begun(account, 'upload.getFile')).toBe(12);
  expect(account.seen.maxLive).toBe(1);
});

test('a message leaves after the slice of updates being stored, before further ones', async () => {
  const account = await listening();
  const stranger = somebody();
  account.box.sliceSize = 1;
  const texts = Array.from({ length: 12 }, (_, index) => `News ${index}`);
  for (const text of texts) account.box.write(stranger, text);
  const goOn = held(account, 'updates.getDifference');
  const before = account.ledger.length;
  await hurry(account);
  const asked = () => begun({ ...account, ledger: account.ledger.slice(before) }, 'updates.getDifference');
  await eventually(async () => asked() > 0, 'the account to look');
  const job = await wanted(account);
  goOn();
  await sent(job);
  const meanwhile = account.ledger.slice(before, account.ledger.indexOf('messages.sendMessage'));
  expect(begun({ ...account, ledger: meanwhile }, 'updates.getDifference')).toBe(1);
  await eventually(async () => (await conversation(account, stranger)).length === texts.length, 'the rest of the news');
  const messages = await conversation(account, stranger);
  expect(messages.map(({ body }: { body: string }) => body)).toEqual(texts);
});

test('many small files are stored, each fetched once and over one connection at a time', async () => {
  const account = await listening();
  await stored(await flooded(account, 20));
  expect(begun(account, 'upload.getFile')).toBe(20);
  expect(account.seen.maxLive).toBe(1);
});

test('messages of another tenant are stored while an account’s files wait', async () => {
  const account = await listening();
  const goOn = held(account, 'upload.getFile');
  const files = await flooded(account, 15);
  await eventually(async () => begun(account, 'upload.getFile') > 0, 'one of the files to be begun');
  const transfers = () =>
    inTenant((tx) =>
      tx.findAll(
        Transfers,
        files.map((id) => ({ id })),
      ),
    );
  const isPutOff = ({ isWaiting, tries }: { isWaiting?: true; tries: number }) => isWaiting && tries === 0;
  await eventually(
    async () => (await transfers()).filter(isPutOff).length === 14,
    'the other files to wait, which is no attempt',
  );
  const other = await newWorkspace();
  const mail = await commands.receive.run({
    ...{ workspaceId: other.id, env: 'live', authentication: trusted.authentication },
    raw: [
      ...['From: Anna <anna@example.com>', 'To: sales@acme.example', 'Subject: A file'],
      ...['Content-Type: application/pdf', 'Content-Disposition: attachment; filename=a.pdf', '', 'bytes'],
    ].join('\r\n'),
  });
  const path = `/v1/email/threads/${mail.threadId}/messages/${mail.messageId}/attachments/1`;
  await eventually(async () => (await other.live.get(path)).body.status === 'stored', 'the attachment of the mail');
  expect(begun(account, 'upload.getFile')).toBe(1);
  goOn();
  await stored(files);
});
