import { expect, test } from 'vitest';
import { dayMs, shifted, timestamp } from '#lib/core/clock.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { parseMail } from '#lib/email/mail.ts';
import { findThread } from '#lib/email/threading.ts';
import { type StoredThread, Threads } from '#lib/entities/email-thread.ts';
import { transact } from '#lib/table/transact.ts';
import { receiveMail } from '#lib/transport/receiving/mail.ts';
import { createWorkspace } from '#lib/workspaces/create.ts';
import { type MailFields, rawMail, trusted } from '#test/email/raw.ts';
import { rowsRead } from '#test/rows.ts';

const newTenant = async (): Promise<Tenant> => ({
  workspaceId: (await createWorkspace({ name: 'Test', currency: 'EUR' })).id,
  env: 'live',
});
const daysAgo = (days: number) => shifted(timestamp(), -days * dayMs);

const receive = async (tenant: Tenant, fields: MailFields) => {
  const mail = await parseMail(rawMail(fields));
  return transact(tenant, system, (tx) => receiveMail(tx, mail, trusted));
};

/** The thread that a reply of Vera finds by its subject alone, and how many rows were read for it. */
async function found(tenant: Tenant, subject: string) {
  const mail = await parseMail(rawMail({ from: 'VERA@example.com', subject }));
  let thread: StoredThread | undefined;
  const rows = await rowsRead(async () => {
    thread = await transact(tenant, system, (tx) => findThread(tx, mail));
  });
  return { id: thread?.id, rows };
}

const vera = 'vera@example.com';
const opened = (
  tenant: Tenant,
  threads: Partial<Pick<StoredThread, 'subject' | 'lastMessageAt' | 'participants'>>[],
): Promise<number[]> =>
  transact(tenant, system, async (tx) => {
    await tx.reserveIds({ [Threads.name]: threads.length });
    const ids: number[] = [];
    for (const fields of threads) {
      const id = await tx.nextId(Threads);
      ids.push(id);
      tx.create(Threads, {
        id,
        subject: 'Invoice',
        preview: '',
        status: 'open',
        unreadCount: 1,
        isStarred: false,
        contactId: null,
        assignedToUserId: null,
        aiLeadScore: null,
        createdAt: daysAgo(60),
        lastMessageAt: tx.now,
        participants: [{ name: null, email: vera }],
        lastInbound: null,
        references: [],
        ...fields,
      });
    }
    return ids;
  });

test('strangers who fill a topic make the replies of others no dearer', async () => {
  const tenant = await newTenant();
  const { threadId } = await receive(tenant, { from: vera, subject: 'Invoice' });
  const alone = await found(tenant, 'Re: Invoice');
  expect(alone.id).toBe(threadId);
  const stranger = (at: number) => ({ participants: [{ name: null, email: `stranger-${at}@evil.example` }] });
  for (let first = 0; first < 2000; first += 10)
    await opened(
      tenant,
      Array.from({ length: 10 }, (_, at) => stranger(first + at)),
    );
  expect(await found(tenant, 'Re: Invoice')).toEqual(alone);
  expect(await receive(tenant, { from: vera, subject: 'AW: Re: invoice' })).toMatchObject({ threadId });
});

test('a topic look-up finds the sender’s newest thread of the last 30 days in few rows', async () => {
  const tenant = await newTenant();
  for (let first = 0; first < 100; first += 10)
    await opened(
      tenant,
      Array.from({ length: 10 }, () => ({ lastMessageAt: daysAgo(31) })),
    );
  const none = await found(tenant, 'Re: Invoice');
  expect(none.id).toBeUndefined();
  expect(none.rows).toBeLessThan(30);
  const [, newest] = await opened(tenant, [
    { lastMessageAt: daysAgo(1) },
    { lastMessageAt: daysAgo(29) },
    { lastMessageAt: daysAgo(31) },
    { subject: 'Another' },
  ]);
  expect(await found(tenant, 'Re: Invoice')).toMatchObject({ id: newest });
});

test('a thread of a hundred people is found by its last sender', async () => {
  const tenant = await newTenant();
  const people = [...Array.from({ length: 98 }, (_, at) => `p${at}@example.com`), vera];
  await receive(tenant, { from: 'org@example.com', to: people.join(), subject: 'Meeting', messageId: 'm@example.com' });
  const { threadId } = await receive(tenant, { from: vera, inReplyTo: 'm@example.com' });
  expect(await found(tenant, 'Re: Meeting')).toMatchObject({ id: threadId });
});
