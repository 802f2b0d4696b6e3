import { beforeAll, expect, test } from 'vitest';
import { createContact } from '#lib/contacts/create.ts';
import { listDuplicates } from '#lib/contacts/duplicates.ts';
import { upsertContact } from '#lib/contacts/upsert.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { parseMail } from '#lib/email/mail.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { Threads } from '#lib/entities/email-thread.ts';
import { findContact } from '#lib/messages/recipient.ts';
import { entryKey, keyOf } from '#lib/table/entity.ts';
import { firstIndexed } from '#lib/table/entries.ts';
import { putRows } from '#lib/table/rows.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { receiveMail } from '#lib/transport/receiving/mail.ts';
import { createWorkspace } from '#lib/workspaces/create.ts';
import { rawMail, trusted } from '#test/email/raw.ts';
import { rowsRead } from '#test/rows.ts';

/** All that share an address, a phone and a username: every third one on X. */
const count = 300;
const shared = { email: 'desk@example.com', phone: '+1 555 0100', username: 'desk' };
const platformOf = (index: number) => (index % 3 === 0 ? 'twitter' : 'telegram');

let tenant: Tenant;
let ids: number[];
const run = <Result>(work: (tx: UnitOfWork) => Promise<Result>) => transact(tenant, system, work);

beforeAll(async () => {
  tenant = { workspaceId: (await createWorkspace({ name: 'Test', currency: 'EUR' })).id, env: 'live' };
  ids = [];
  // As many as one transaction has room for.
  for (let made = 0; made < count; made += 6) {
    const some = Array.from({ length: 6 }, (_, index) => platformOf(made + index));
    const contacts = await run(async (tx) => {
      const created: { id: number }[] = [];
      for (const platform of some) created.push(await createContact(tx, { platform, name: 'Desk', ...shared }));
      return created;
    });
    ids.push(...contacts.map(({ id }) => id));
  }
});

/** What the work returns, and how many rows it read. */
async function counted<Result>(work: (tx: UnitOfWork) => Promise<Result>) {
  const found: Result[] = [];
  const rows = await rowsRead(async () => found.push(await run(work)));
  return { found: found[0] as Result, rows };
}

test('a mail is of the oldest of all contacts with its address, and the others are not read', async () => {
  const mail = await parseMail(rawMail({ from: 'Desk <DESK@example.com>' }));
  const { found, rows } = await counted((tx) => receiveMail(tx, mail, trusted));
  expect((await run((tx) => tx.get(Threads, { id: found.threadId }))).contactId).toBe(ids[0]);
  expect(rows).toBeLessThanOrEqual(10);
});

test('a username is that of the oldest contact on the platform', async () => {
  const twitter = await counted((tx) => findContact(tx, 'twitter', { username: '@Desk' }));
  expect(twitter.found?.id).toBe(ids[0]);
  const telegram = await counted((tx) => findContact(tx, 'telegram', { username: 'desk' }));
  expect([telegram.found?.id, telegram.rows]).toEqual([ids[1], 2]);
});

test('an upsert that many match names the newest hundred, and reads few others', async () => {
  let refusal: unknown;
  const upsert = { matchOn: 'email', platform: 'telegram', ...shared } as const;
  const rows = await rowsRead(() =>
    run((tx) => upsertContact(tx, upsert)).catch((error: unknown) => {
      refusal = error;
    }),
  );
  expect(refusal).toMatchObject({
    message: 'at least 100 contacts have this email: merge them, or change one by its id',
    details: { reason: 'ambiguous_match', contactIds: ids.toReversed().slice(0, 100) },
  });
  // The entries of archived contacts stay, so the rows tell.
  expect(rows).toBeLessThanOrEqual(210);
});

test('a look-up by username reads no rows of another platform', async () => {
  for (let made = 0; made < 30; made += 6) {
    await run(async (tx) => {
      for (let index = 0; index < 6; index += 1) await createContact(tx, { platform: 'telegram', username: 'crowd' });
    });
  }
  const sender = await counted((tx) => findContact(tx, 'twitter', { username: 'crowd' }));
  expect(sender.found).toBeUndefined();
  expect(sender.rows).toBeLessThanOrEqual(5);
  const upsert = { matchOn: 'username', platform: 'twitter', username: '@Crowd' } as const;
  const made = await counted((tx) => upsertContact(tx, upsert));
  expect(made.found).toMatchObject({ isNew: true, contact: { platform: 'twitter' } });
  expect(made.rows).toBeLessThanOrEqual(10);
  const again = await run((tx) => upsertContact(tx, upsert));
  expect([again.isNew, again.contact.id]).toEqual([false, made.found.contact.id]);
});

test('the duplicates of a contact are read page by page, each of them once', async () => {
  const [own] = ids.slice(150);
  const page = (after: number | undefined, limit: number) =>
    counted((tx) => listDuplicates(tx, own as number, { after, limit }));
  const { found, rows } = await page(undefined, 5);
  expect(found).toMatchObject({ hasMore: true, nextCursor: ids.at(-5) });
  // Of username, phone and e-mail each a few.
  expect(rows).toBeLessThanOrEqual(60);
  const seen: number[] = [];
  for (let after: number | null | undefined; after !== null; ) {
    const { items, nextCursor } = (await page(after, 70)).found;
    seen.push(...items.map(({ id }) => id));
    after = nextCursor;
  }
  expect(seen).toEqual(ids.toReversed().filter((id) => id !== own));
});

test('an index entry that its contact has left is passed over', async () => {
  const place = { id: ids[0] as number };
  const by = { email: 'stray@example.com' };
  await putRows([{ ...entryKey(tenant, Contacts, by, place.id), of: keyOf(tenant, Contacts, place) }]);
  const find = () => run((tx) => firstIndexed(tx, Contacts, by));
  expect(await find()).toBeUndefined();
  const { id } = await run((tx) =>
    createContact(tx, { platform: 'telegram', name: 'Stray', email: 'stray@example.com' }),
  );
  expect((await find())?.id).toBe(id);
});
