import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Answer, eventually } from '#test/client.ts';
import { uploaded } from '#test/files/upload.ts';
import { everyByteOf } from '#test/rows.ts';
import { edited, memberUpdate, message, newBot, newPerson } from '#test/telegram/bot.ts';
import { startReceiver } from '#test/webhooks/receiver.ts';
import { newWorkspace } from '#test/workspace.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** The body of an answer that must have this status. */
async function answered(status: number, answer: Promise<Answer>): Promise<Answer['body']> {
  const { status: actual, body } = await answer;
  expect([actual, actual === status ? '' : body]).toEqual([status, '']);
  return body;
}

test('a stranger goes from a first message to a bot, over files, edits and a block, to erasure', async () => {
  const workspace = await newWorkspace();
  const crm = workspace.live;
  await using receiver = await startReceiver();
  await answered(201, crm.post('/v1/webhooks', { url: `${receiver.url}/crm` }));

  // Morning: the shop connects its bot.
  const telegram = newBot();
  const pacing = { peerGapMs: 0, gapMs: 0 };
  const bot = await answered(
    201,
    crm.post('/v1/telegram/accounts', { kind: 'bot', botToken: telegram.token, inbound: 'webhook', pacing }),
  );
  await eventually(
    async () => (await crm.get(`/v1/telegram/accounts/${bot.id}`)).body.inbound.status === 'ok',
    'the bot to hear',
  );
  const writes = async (update: object) => {
    await telegram.tell(update);
    expect(await telegram.post()).toEqual([200]);
  };

  // Somebody whom nobody knows asks.
  const visitor = newPerson({ first_name: 'Zarathustra', username: 'zarathustra_b' });
  const question = message(visitor, { text: 'Do you have the clock in red?' });
  await writes(question);
  const [contact] = (await answered(200, crm.get('/v1/contacts', { hasUnread: true }))).items;
  expect(contact).toMatchObject({ name: 'Zarathustra', username: 'zarathustra_b', platform: 'telegram' });
  const path = `/v1/contacts/${contact.id}`;
  await answered(200, crm.post(`${path}/tags`, { tagName: 'Clocks' }));

  // The shop answers with a picture.
  const picture = randomBytes(20_000);
  const file = await uploaded(crm, { fileName: 'red.png', contentType: 'image/png', bytes: picture });
  const job = await answered(
    202,
    crm.post('/v1/telegram/messages', {
      ...{ accountId: bot.id, contactId: contact.id, text: 'This one', attachments: [file] },
    }),
  );
  await eventually(
    async () => (await crm.get(`/v1/telegram/messages/${job.id}`)).body.status === 'sent',
    'the picture to leave',
  );
  const { stored } = await telegram.seen();
  expect(stored).toMatchObject([
    { to: String(visitor.id), text: 'This one', method: 'sendPhoto', files: [{ sha256: sha256(picture) }] },
  ]);

  // A picture comes back, and somebody at the shop looks at it.
  const theirs = randomBytes(30_000);
  await telegram.hold({ wall: { path: 'photos/wall.jpg', base64: theirs.toString('base64') } });
  await writes(
    message(visitor, {
      photo: [{ file_id: 'wall', file_unique_id: 'w', file_size: theirs.length }],
      caption: 'For this wall',
    }),
  );
  const messages = async () => (await answered(200, crm.get(`${path}/messages`))).items;
  const shown = (await messages())[0];
  expect(shown).toMatchObject({ direction: 'inbound', body: 'For this wall' });
  const attached = `/v1/messages/${shown.id}/attachments/${shown.attachments[0].id}`;
  const { url } = await eventually(async () => {
    const { body } = await crm.get(attached);
    return body.status === 'stored' && body;
  }, 'the picture to be fetched');
  expect(sha256(await (await fetch(url)).bytes())).toBe(sha256(theirs));
  await answered(200, crm.post(`${path}/messages/read`, {}));
  expect((await answered(200, crm.get(path))).hasUnreadMessages).toBe(false);

  // On second thoughts: green.
  await writes(edited(question, { text: 'Do you have the clock in green?' }));
  const asked = (await messages()).find(({ body }: { body: string }) => body.startsWith('Do you have'));
  expect(asked).toMatchObject({ body: 'Do you have the clock in green?', editedAt: expect.any(String) });

  // Too dear after all: the bot is blocked, and writes nothing more.
  await writes(memberUpdate(visitor, 'kicked'));
  const late = await answered(
    202,
    crm.post('/v1/telegram/messages', { accountId: bot.id, contactId: contact.id, text: 'Ten percent off!' }),
  );
  const failed = await eventually(async () => {
    const { body } = await crm.get(`/v1/telegram/messages/${late.id}`);
    return body.status === 'failed' && body;
  }, 'the job to fail');
  expect(failed.lastError).toBe('the recipient has blocked this bot');

  // And wants to be forgotten.
  const erasure = await answered(202, crm.post(`${path}/erasure`, { confirm: String(contact.id) }));
  await crm.get(path, undefined, 404);
  await eventually(
    async () => (await crm.get(`/v1/erasures/${erasure.id}`)).body.status === 'completed',
    'the erasure',
    60_000,
  );
  const left = await everyByteOf(workspace.id);
  for (const trace of ['Zarathustra', 'zarathustra_b', String(visitor.id), 'clock in', 'For this wall', 'Ten percent'])
    expect([trace, left.includes(trace)]).toEqual([trace, false]);
  expect((await fetch(url)).status).toBe(404);

  // The shop's own systems heard of all of it.
  const told = ['message.created', 'message.updated', 'contact.created', 'contact.erased', 'job.completed'];
  await eventually(async () => {
    const kinds = new Set(receiver.received.map(({ text }) => JSON.parse(text).event));
    return told.every((kind) => kinds.has(kind));
  }, `webhooks of ${told}`);
});
