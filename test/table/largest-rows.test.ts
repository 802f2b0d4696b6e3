import * as v from 'valibot';
import { beforeAll, expect, test } from 'vitest';
import { commands as email } from '#infra/admin/commands/email.ts';
import { commands as sequence } from '#infra/admin/commands/sequence.ts';
import { shifted } from '#lib/core/clock.ts';
import { system } from '#lib/core/tenant.ts';
import { stopping } from '#lib/sequences/reply.ts';
import { entity } from '#lib/table/entity.ts';
import { countEntries } from '#lib/table/entries.ts';
import { listAll } from '#lib/table/list.ts';
import { newMeter } from '#lib/table/pages.ts';
import { reindexing, reindexSagaId, startReindexing } from '#lib/table/reindex.ts';
import { Sagas } from '#lib/table/saga.ts';
import { finishSaga, transact } from '#lib/table/transact.ts';
import { everyItem } from '#test/client.ts';
import { receiveIn, trusted } from '#test/email/raw.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const tomorrow = shifted(new Date(), 86_400_000);
const all = (path: string, query: Record<string, string | number> = {}) =>
  everyItem(workspace.live, path, { limit: 100, ...query });
const newContact = async (name: string) =>
  (await workspace.live.post('/v1/contacts', { name, email: `${name}@out.example` })).body;

/** Three bytes a character in the table; the names of its files are twice as long in JSON. */
function largeMail(from: string, subject: string): string {
  const text = Buffer.from('\u4e2d'.repeat(100_000)).toString('base64');
  const file = [
    '--B',
    `Content-Type: application/${'x'.repeat(240)}`,
    `Content-Disposition: attachment; filename*=utf-8''${'%22'.repeat(255)}`,
    '',
    'x',
  ];
  return [
    `From: ${from}`,
    'To: sales@acme.example',
    `Subject: ${subject}`,
    `Message-ID: <${subject}@out.example>`,
    'Content-Type: multipart/mixed; boundary=B',
    '',
    ...['--B', 'Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: base64', ''],
    text.replaceAll(/.{76}/g, '$&\r\n'),
    ...Array.from({ length: 100 }, () => file).flat(),
    '--B--',
  ].join('\r\n');
}

const receive = (raw: string) =>
  email.receive.run({ workspaceId: workspace.id, env: 'live', raw, authentication: trusted.authentication });

test('a contact with many of the largest mails is merged and renamed, and not one of them stays behind', async () => {
  const [source, target] = [await newContact('large'), await newContact('kept')];
  const threads: number[] = [];
  for (let index = 0; index < 14; index += 1)
    threads.push((await receive(largeMail('large@out.example', `large${index}`))).threadId);
  const path = `/v1/contacts/${target.id}`;
  const { status } = await workspace.live.post(`${path}/merge`, { sourceContactId: source.id });
  expect(status).toBe(200);
  expect(await all(`${path}/messages`)).toHaveLength(14);
  expect((await all('/v1/email/threads', { contactId: target.id })).map(({ id }) => id).sort()).toEqual(threads.sort());
  await workspace.live.patch(path, { name: 'Renamed' });
  expect((await workspace.live.get(path)).body.name).toBe('Renamed');
});

test('the largest mail of a contact in many sequences is stored, and stops them', async () => {
  const { id: contactId } = await newContact('enrolled');
  const step = { delayMinutes: 600, subject: 'Hi', text: 'x' };
  for (let index = 0; index < 14; index += 1) {
    const { id } = await sequence.create.run({
      ...{ workspaceId: workspace.id, env: 'live', name: `Sequence ${index}`, channel: 'email', accountId: null },
      ...{ status: 'active', steps: [step, step] },
    });
    await sequence.enroll.run({ workspaceId: workspace.id, env: 'live', id, contactId });
  }
  const { threadId } = await receive(largeMail('enrolled@out.example', 'enrolled'));
  const [message] = await all(`/v1/email/threads/${threadId}/messages`);
  expect(message.bodyText).toHaveLength(100_000);
  // Those that had no room beside the mail.
  const tenant = { workspaceId: workspace.id, env: 'live' } as const;
  for (const saga of await transact(tenant, system, (tx) => listAll(tx, Sagas)))
    await finishSaga(tenant, stopping, saga);
  const sequences = await all('/v1/sequences');
  expect(sequences.map(({ status, repliedCount }) => [status, repliedCount])).toEqual(Array(14).fill(['completed', 1]));
});

/** A key that has queued small mails and then large ones. */
async function queuedMails(largeText: (index: number) => string, count: number) {
  const { threadId } = await receiveIn(workspace)();
  const { client, keyId } = await workspace.mint();
  const reply = async (bodyText: string) =>
    (await client.post(`/v1/email/threads/${threadId}/replies`, { bodyText, runAt: tomorrow })).body.id;
  for (let index = 0; index < 3; index += 1) await reply('small');
  for (let index = 0; index < count; index += 1) await reply(largeText(index));
  const { id } = (await all('/v1/keys')).find((key) => key.keyId === keyId) as { id: number };
  return {
    cancel: () => workspace.live.delete(`/v1/keys/${id}?cancelQueued=true`),
    statuses: async () => (await all('/v1/jobs', { apiKeyId: keyId })).map(({ status }) => status),
  };
}

test('the largest mails that a revoked key has queued are taken back, and so are those before them', async () => {
  const { cancel, statuses } = await queuedMails(() => '\u{1F4A9}'.repeat(100_000), 8);
  expect((await cancel()).body.canceledJobs).toBe(11);
  expect(await statuses()).toEqual(Array(11).fill('failed'));
});

test('a tag is taken off many of the largest contacts', async () => {
  const notes = '\u{1F4A9}'.repeat(10_000);
  const { body: tag } = await workspace.live.post('/v1/tags', { name: 'Large' });
  for (let index = 0; index < 2; index += 1) {
    const items = Array.from({ length: 20 }, () => ({ op: 'create', name: 'Large', notes }));
    const { results } = (await workspace.live.post('/v1/contacts/batch', { items })).body;
    await Promise.all(
      results.map(({ contact }: { contact: { id: number } }) =>
        workspace.live.post(`/v1/contacts/${contact.id}/tags`, { tagId: tag.id }),
      ),
    );
  }
  await workspace.live.delete(`/v1/tags/${tag.id}`, 200);
  const activities = await Promise.all(
    (await all('/v1/contacts'))
      .filter((contact) => contact.notes === notes)
      .map(({ id }) => all(`/v1/contacts/${id}/activities`)),
  );
  expect(activities).toHaveLength(40);
  for (const [newest] of activities) expect(newest.type).toBe('TagRemoved');
});

test('rows as large as the table takes them are reindexed', async () => {
  const tenant = { workspaceId: workspace.id, env: 'live' } as const;
  const older = { name: 'large', schema: v.object({ id: v.number(), text: v.string() }) };
  const newer = entity({
    ...older,
    upgrades: [(row) => row],
    indexes: { search: { copy: ({ text }) => ({ text: text.toLowerCase() }), since: 2 } },
  });
  const rows = Array.from({ length: 6 }, (_, index) => ({ id: index + 1, text: '"'.repeat(400_000) }));
  for (const row of rows)
    await transact(tenant, system, async (tx) => {
      tx.create(entity(older), row);
    });
  await transact(tenant, system, (tx) => startReindexing(tx, [newer], { dueAt: tomorrow }));
  await finishSaga(tenant, reindexing([newer]), { id: reindexSagaId, actor: system });
  expect(await transact(tenant, system, (tx) => countEntries(tx, newer, { search: true }, undefined, newMeter()))).toBe(
    6,
  );
});
