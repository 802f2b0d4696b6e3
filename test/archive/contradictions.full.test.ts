import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { ArchivedRow } from '#lib/archive/archive.ts';
import { dayMs, shifted } from '#lib/clock.ts';
import { Accounts } from '#lib/entities/account.ts';
import { Activities } from '#lib/entities/activity.ts';
import { entities } from '#lib/entities/all.ts';
import { Contacts, MergedContacts } from '#lib/entities/contact.ts';
import { Deals } from '#lib/entities/deal.ts';
import { Feed } from '#lib/entities/feed-event.ts';
import { Invoices } from '#lib/entities/invoice.ts';
import { Messages } from '#lib/entities/message.ts';
import { Sequences } from '#lib/entities/sequence.ts';
import { TagCounts, Tags } from '#lib/entities/tag.ts';
import { Tasks } from '#lib/entities/task.ts';
import { createJob } from '#lib/jobs/store.ts';
import { type Entity, storedName } from '#lib/table/entity.ts';
import { sortableId } from '#lib/table/keys.ts';
import { transact } from '#lib/table/transact.ts';
import { operator } from '#lib/tenant.ts';
import document from '#openapi' with { type: 'json' };
import { eventually } from '#test/client.ts';
import { clientOf, rowOf, taken } from './handmade.ts';

const all = entities.map((of) => rowOf(of));
const changed = (pk: string, fields: object): ArchivedRow[] =>
  all.map((row) => (row.pk === pk ? { ...row, ...fields } : row));

const nobody = { email: null, username: null, userIds: [], names: [], accountIds: [] };

/** Each known by two hundred names. */
const mergedOnes = (count: number, into: (id: number) => number): ArchivedRow[] =>
  Array.from({ length: count }, (_, n) => {
    const userIds = Array.from({ length: 100 }, (_, user) => `u${user}`);
    const traces = { ...nobody, userIds, names: userIds.map((name) => `telegram/${name}`) };
    return rowOf(MergedContacts, { id: 1001 + n, into: into(1001 + n), traces });
  });

describe('fields that contradict each other are refused by their line', () => {
  test.each<[string, ArchivedRow[], RegExp]>([
    ['an X account of a bot', changed(':live#account', { channel: 'twitter', kind: 'bot' }), /has a kind that twitter/],
    ['a finished job of nobody', changed(':live#job', { status: 'sent', accountId: null }), /accountId is required$/],
    ['a finished job of another account', changed(':live#job', { status: 'sent', accountId: 7 }), /is of account 7,/],
    ['a job of another message', changed(':live#job', { status: 'sent', messageId: 7 }), /is of message 1\/7,/],
    ['a job of another contact', changed(':live#job', { status: 'sent', contactId: null }), /is of message none\/1,/],
    [
      'a job of an account of another channel',
      changed(':live#job', { channel: 'twitter' }),
      /is of twitter account 1,/,
    ],
    ['an erasure that nobody goes on with', changed(':live#erasure', { status: 'running' }), /is under way$/],
    ['a mail of an account', changed(':live#job', { status: 'sent', channel: 'email' }), /is sent by mail, and not by/],
    ['a job of no sequence', changed(':live#job', { sequenceId: 7 }), /is of sequence 7,/],
    ['a sequence of nobody', changed(':live#campaign', { accountId: null }), /accountId is required$/],
    ['a sequence of another channel', changed(':live#campaign', { channel: 'twitter' }), /is of twitter account 1,/],
    ['a sequence without steps', changed(':live#campaign', { steps: [], stepCount: 0 }), /another number of steps/],
    ['a sequence of more steps', changed(':live#campaign', { stepCount: 2 }), /another number of steps/],
    ['an enrollment of no job', changed(':live#sequence/1/enrollment', { jobId: 7 }), /is of job 7,/],
    ['an enrollment of no thread', changed(':live#sequence/1/enrollment', { threadId: 7 }), /is of email-thread 7,/],
    ...Object.entries({ event: 'key.created', id: 'evt_other', sequence: 7, livemode: false }).map(
      ([name, value]): [string, ArchivedRow[], RegExp] => [
        `an event whose body has another ${name}`,
        all.map((row) =>
          row.pk === ':live#feed'
            ? { ...row, body: JSON.stringify({ ...JSON.parse(String(row['body'])), [name]: value }) }
            : row,
        ),
        /tells of no event, or of another$/,
      ],
    ),
    ['an event of times to come', [rowOf(Feed, { timestamp: '9990-01-01T00:00:00Z' })], /ends later than/],
    [
      'an audit entry of times to come',
      changed(':live#audit-event', { createdAt: shifted(new Date(), 2 * dayMs) }),
      /ends later than/,
    ],
    [
      'more accounts than there may be',
      [...all, ...Array.from({ length: 1000 }, (_, n) => rowOf(Accounts, { id: n + 2 }))],
      /there are more than 1000 accounts/,
    ],
    [
      'a contact who was made, one after the other, of more than an erasure looks for',
      [...all, ...mergedOnes(50, (id) => id - 1)],
      /is merged into one who was known by more than 10000 names/,
    ],
    [
      'contacts who were merged in a circle',
      [...all, ...mergedOnes(50, (id) => (id === 1001 ? 1050 : id - 1))],
      /is merged into one who was known by more than 10000 names/,
    ],
    ['a task of no deal', changed(':live#task', { dealId: 7 }), /is of deal 7,/],
    [
      'a contact who was merged',
      changed(':live#merged-contact', { id: 1, sk: sortableId(1) }),
      /contact 1, who was merged, and is there/,
    ],
    [
      'a merged contact whom too many accounts knew',
      changed(':live#merged-contact', {
        traces: {
          email: null,
          username: null,
          userIds: [],
          names: [],
          accountIds: Array.from({ length: 101 }, (_, n) => n + 1),
        },
      }),
      /accountIds must have at most 100 entries$/,
    ],
    [
      'a name of a merged contact that is on no channel',
      changed(':live#merged-contact', { traces: { ...nobody, names: ['\u{1f600}'] } }),
      /names\[0\]/,
    ],
    [
      'an address of a merged contact that is none',
      changed(':live#merged-contact', { traces: { ...nobody, email: '@' } }),
      /email must be an e-mail address$/,
    ],
    [
      'a username of a merged contact that nobody can have',
      changed(':live#merged-contact', { traces: { ...nobody, username: '\u{1f600}' } }),
      /username must be/,
    ],
    ...[Messages, Activities].map((of): [string, ArchivedRow[], RegExp] => [
      `a ${of.name} of two contacts`,
      [...all, rowOf(Contacts, { id: 3 }), rowOf(of, { contactId: 3 })],
      new RegExp(`is ${of.name} 1 of two contacts$`),
    ]),
    ['a URL without a scheme', changed(':live#webhook', { url: '//evil' }), /url must be an https URL$/],
    ['a URL of no host', changed(':live#webhook', { url: 'javascript:alert(1)' }), /url must be an https URL$/],
  ])('%s', async (_, rows, reason) => {
    await expect(taken(rows)).rejects.toThrow(reason);
  });
});

test('what names a contact who is not in the file can be paid, worked on and answered all the same', async () => {
  const said = new Map<string, object>([
    [`:live#${storedName(Deals)}`, { contactId: 7 }],
    [`:live#${storedName(Invoices)}`, { contactId: 7, status: 'sent' }],
  ]);
  const workspaceId = await taken(all.map((row) => ({ ...row, ...said.get(row.pk) })));
  const client = await clientOf(workspaceId);
  await client.post('/v1/finance/invoices/1/paid', {}, 200);
  expect(await client.post('/v1/tasks', { title: 'Call', dealId: 1 })).toMatchObject({
    status: 201,
    body: { contactId: null },
  });
  const mail = {
    channel: 'email',
    accountId: null,
    contactId: 7,
    recipient: 'ann@example.com',
    text: 'Hello',
  } as const;
  const job = await transact({ workspaceId, env: 'live' }, operator, (tx) => createJob(tx, { ...mail, source: 'api' }));
  expect(job.contactId).toBeNull();
});

test('an id at a platform that is empty holds no erasure up', async () => {
  const traces = { email: null, username: null, userIds: [''], names: [], accountIds: [1] };
  const reach = [{ accountId: 1, userId: '', lastInboundAt: null, lastOutboundAt: null }];
  const rows = changed(':live#merged-contact', { traces }).map((row) =>
    row.pk === ':live#contact' ? { ...row, reach } : row,
  );
  const client = await clientOf(await taken(rows));
  const { body, status } = await client.post('/v1/contacts/1/erasure', { confirm: '1' });
  expect(status).toBe(202);
  await eventually(
    async () => (await client.get(`/v1/erasures/${body.id}`)).body.status === 'completed',
    'the erasure to end',
  );
});

const paths = Object.entries(document.paths).flatMap(([path, operations]) =>
  'get' in operations ? [path.replaceAll(/\{\w+\}/g, '1')] : [],
);

test.each(all.filter(({ pk }) => pk !== '#workspace').map((row) => [row.pk, row] as const))(
  'a workspace without its %s is refused, or answers every reading call',
  async (_, left) => {
    const rows = all.filter((row) => row !== left);
    const id = await taken(rows).catch((error: Error) => error);
    if (typeof id !== 'number') return expect(id.message).toMatch(/^line \d+ of the file: is of/);
    const client = await clientOf(id);
    const failed: string[] = [];
    for (const path of paths) if ((await client.get(path)).status >= 500) failed.push(path);
    expect(failed).toEqual([]);
  },
);

test('what a row counts of others is what the file has of them, not what it says', async () => {
  const said: Record<string, object> = {
    ':live#tag': { contactCount: 7 },
    ':live#deal': { openTaskCount: 0 },
    ':live#campaign': { activeCount: 0 },
    ':live#contact': { tagIds: [1, 1] },
    ':live#tag-count': { count: 0 },
  };
  const tenant = { workspaceId: await taken(all.map((row) => ({ ...row, ...said[row.pk] }))), env: 'live' } as const;
  const rowsOf = <E extends Entity>(of: E) => all.filter((row) => row.pk === `:live#${storedName(of)}`);
  const counts = await transact(tenant, operator, async (tx) => ({
    contactCount: (await tx.get(Tags, { id: 1 })).contactCount,
    openTaskCount: (await tx.get(Deals, { id: 1 })).openTaskCount,
    activeCount: (await tx.get(Sequences, { id: 1 })).activeCount,
    tags: (await tx.find(TagCounts, { id: 1 }))?.count,
  }));
  expect(rowsOf(Contacts)[0]?.['tagIds']).toEqual([1]);
  expect(rowsOf(Tasks)[0]).toMatchObject({ dealId: 1, status: 'open' });
  expect(counts).toEqual({ contactCount: 1, openTaskCount: 1, activeCount: 1, tags: 1 });
});

test('a mail that is longer unpacked than any mail is shown as one that cannot be read', async () => {
  const packed = (bodyText: string) => gzipSync(JSON.stringify({ bodyText, bodyHtml: null })).toString('base64');
  const isOfMail = ({ pk }: ArchivedRow) => pk === ':live#email-thread/1/message';
  const rows = all
    .filter(({ pk }) => !pk.endsWith('/body'))
    .map((row) => (isOfMail(row) ? { ...row, body: packed('a'.repeat(3_000_000)), moreParts: 0 } : row));
  const client = await clientOf(await taken(rows));
  const { status, body } = await client.get('/v1/email/threads/1/messages');
  expect([status, body.items]).toMatchObject([200, [{ bodyText: '[The text of this mail cannot be read.]' }]]);
});
