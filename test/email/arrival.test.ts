import { randomUUID } from 'node:crypto';
import type { SQSEvent } from 'aws-lambda';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { commands } from '#infra/admin/commands/email.ts';
import { operator } from '#lib/core/tenant.ts';
import { arrivalIn } from '#lib/email/arrival.ts';
import { parseMail } from '#lib/email/mail.ts';
import { enroll } from '#lib/sequences/enroll.ts';
import { createSequence } from '#lib/sequences/store.ts';
import { transact } from '#lib/table/transact.ts';
import type { Client } from '#test/client.ts';
import { mailBucket } from '#test/email/bucket.ts';
import { mailQueues } from '#test/email/queues.ts';
import { rawMail } from '#test/email/raw.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

const domain = 'mail.example.org';
let bucket: Awaited<ReturnType<typeof mailBucket>>;
let queues: Awaited<ReturnType<typeof mailQueues>>;
beforeAll(async () => {
  [bucket, queues] = await Promise.all([mailBucket(domain), mailQueues()]);
});
afterAll(async () => {
  bucket.close();
  await queues.close();
});
const done = { batchItemFailures: [] };

const verdicts = { spam: 'PASS', virus: 'PASS', spf: 'PASS', dkim: 'PASS', dmarc: 'PASS' };

/** What the queue holds when SES has stored a mail. */
function told(key: string, recipients: string[], found: Partial<typeof verdicts> = {}, source = 'anna@example.com') {
  const statuses = Object.entries({ ...verdicts, ...found }).map(([name, status]) => [`${name}Verdict`, { status }]);
  return notice({ source, messageId: key }, { ...stored(key, recipients), ...Object.fromEntries(statuses) });
}

const stored = (objectKey: string, recipients: string[]) => ({ recipients, action: { type: 'S3', objectKey } });

function notice(mail: object, receipt: object) {
  const body = JSON.stringify({ notificationType: 'Received', mail, receipt });
  return { Records: [{ messageId: randomUUID(), body }] } as unknown as SQSEvent;
}

async function arrives(raw: string, recipients: string[], ...found: [Partial<typeof verdicts>?, string?]) {
  const key = randomUUID();
  bucket.put(key, raw);
  const event = told(key, recipients, ...found);
  await queues.handle(event);
  return event;
}

const threads = async ({ get }: Client) => (await get('/v1/email/threads')).body.items;
const onlyMessage = async (client: Client) => {
  const [thread] = await threads(client);
  return (await client.get(`/v1/email/threads/${thread.id}/messages`)).body.items[0];
};

describe('a mail that SES has stored', () => {
  test('reaches the workspaces that its envelope names at our domain, whatever its headers say', async () => {
    const [one, other, third] = await Promise.all([newWorkspace(), newWorkspace(), newWorkspace()]);
    const others = `workspace-${third.id}@${domain}`;
    const raw = [
      `Received: from x by inbound-smtp.eu-west-1.amazonaws.com with SMTP id y for ${others}; now`,
      `Delivered-To: ${others}`,
      rawMail({ to: others, cc: others }),
    ].join('\r\n');
    const elsewhere = [`workspace-${third.id}@elsewhere.example`, `workspace-${third.id}@${domain}.example`];
    bucket.put('headers', raw);
    const recipients = [
      `workspace-${one.id}@${domain}`,
      `Workspace-${other.id}+test@${domain.toUpperCase()}`,
      `workspace-2000000000@${domain}`,
      ...elsewhere,
    ];
    // What SES notifies of the mail itself is what its headers say.
    const headers = { destination: [others], commonHeaders: { to: [others], cc: [others] } };
    await queues.handle(notice({ source: 'anna@example.com', ...headers }, stored('headers', recipients)));
    const found = await Promise.all([one.live, one.test, other.live, other.test, third.live, third.test].map(threads));
    expect(found.map(({ length }) => length)).toEqual([1, 0, 0, 1, 0, 0]);
  });

  test.each(['spam', 'virus'] as const)('is spam when SES finds a %s, also as an answer', async (found) => {
    const { id, live } = await newWorkspace();
    const to = [`workspace-${id}@${domain}`];
    const us = `${to[0]}, boss@acme.example`;
    await arrives(rawMail({ to: us, messageId: 'first@example.com' }), to);
    const file = ['--x', 'Content-Type: application/x-dosexec; name=a.exe', '', 'MZ', '--x--'];
    const answer = [
      ...['From: anna@example.com', `To: ${us}`, 'Cc: eve@evil.example', 'Subject: Re: A question'],
      ...['Message-ID: <second@example.com>', 'In-Reply-To: <first@example.com>'],
      ...['Content-Type: multipart/mixed; boundary=x', '', ...file],
    ].join('\r\n');
    await arrives(answer, to, { [found]: 'FAIL' });
    const [caught, first] = await threads(live);
    expect([caught, first]).toMatchObject([{ status: 'spam' }, { status: 'open', unreadCount: 1 }]);
    const [message] = (await live.get(`/v1/email/threads/${caught.id}/messages`)).body.items;
    expect(message.attachments).toMatchObject([
      { fileName: 'a.exe', status: found === 'virus' ? 'failed' : expect.stringMatching(/pending|stored/) },
    ]);
    const fileOf = async () =>
      (await live.get(`/v1/email/threads/${caught.id}/messages/${message.id}/attachments/1`)).body;
    if (found === 'virus') expect(await fileOf()).toMatchObject({ status: 'failed', url: null });
    // Nobody is added to a reply, and what is no spam does not get in with it.
    await arrives(rawMail({ to: us, subject: 'Re: A question', text: 'Hello?' }), to);
    expect(await threads(live)).toMatchObject([{ status: 'spam' }, { status: 'open', unreadCount: 2 }]);
    await live.post(`/v1/email/threads/${caught.id}/status`, { status: 'open' });
    const reply = await live.post(`/v1/email/threads/${caught.id}/replies`, { bodyText: 'Hi', replyAll: true });
    expect(reply.status).toBe(202);
    const [sent] = (await live.get(`/v1/email/threads/${caught.id}/messages`)).body.items;
    expect(sent).toMatchObject({ to: [{ email: 'anna@example.com' }], cc: [] });
  });

  test('stops the sequences of its contact, unless a virus is in it', async () => {
    const { id, live } = await newWorkspace();
    const tenant = { workspaceId: id, env: 'live' } as const;
    const { body: contact } = await live.post('/v1/contacts', { name: 'Anna', email: 'anna@example.com' });
    const sequenceId = await transact(tenant, operator, async (tx) => {
      const steps = [{ delayMinutes: 60, subject: 'Hi', text: 'Hello' }];
      const sequence = { name: 'Spring', channel: 'email', accountId: null, status: 'active', steps } as const;
      return (await createSequence(tx, { ...sequence, steps })).id;
    });
    await transact(tenant, operator, (tx) => enroll(tx, sequenceId, contact.id));
    const status = async () => (await live.get(`/v1/sequences/${sequenceId}/enrollments`)).body.items[0].status;
    await arrives(rawMail(), [`workspace-${id}@${domain}`], { virus: 'FAIL' });
    expect(await status()).toBe('active');
    await arrives(rawMail(), [`workspace-${id}@${domain}`]);
    expect(await status()).toBe('replied');
  });

  test('is stored once when it is delivered again, with or without a Message-ID', async () => {
    const { id, live } = await newWorkspace();
    const to = [`workspace-${id}@${domain}`];
    const events = [
      await arrives(rawMail(), to),
      await arrives('From: anna@example.com\r\nSubject: No id\r\n\r\nHello', to),
    ];
    for (const event of events) await queues.handle(event);
    expect(await threads(live)).toHaveLength(2);
  });

  test('is enqueued again for all its workspaces when one failed, and is stored once in each', async () => {
    const workspaces = await Promise.all([newWorkspace(), newWorkspace()]);
    const key = randomUUID();
    bucket.put(key, 'From: anna@example.com\r\nSubject: No id\r\n\r\nHello');
    const event = told(
      key,
      workspaces.map(({ id }) => `workspace-${id}@${domain}`),
    );
    const [first, second] = workspaces as [TestWorkspace, TestWorkspace];
    await queues.handle(told(key, [`workspace-${first.id}@${domain}`]));
    expect(await threads(second.live)).toEqual([]);
    vi.stubEnv('QUEUE_URL_WORKSPACE_MAIL', `${queues.stored.url}-gone`);
    const [failed] = await queues.handle(event);
    expect(failed).toEqual({ batchItemFailures: [{ itemIdentifier: event.Records[0]?.messageId }] });
    vi.unstubAllEnvs();
    expect(await queues.handle(event)).toEqual([done, done, done]);
    for (const { live } of workspaces) expect(await threads(live)).toHaveLength(1);
  });

  test('needs no verdict: what SES did not check is not proven', async () => {
    const { id, live } = await newWorkspace();
    bucket.put('unchecked', rawMail());
    const event = notice({ source: 'anna@example.com' }, stored('unchecked', [`workspace-${id}@${domain}`]));
    expect(await queues.handle(event)).toEqual([done, done]);
    expect(await threads(live)).toMatchObject([{ status: 'open' }]);
    const none = { spf: 'none', dkim: 'none', dmarc: 'none', verdict: 'fail' };
    expect((await onlyMessage(live)).authentication).toEqual(none);
  });

  test('is not what SES tries its topic with when a rule is made', async () => {
    const setUp = 'AMAZON_SES_SETUP_NOTIFICATION';
    const event = notice({ messageId: setUp }, stored(setUp, ['recipient@example.com']));
    expect(await queues.handle(event)).toEqual([done]);
  });

  test.each([
    ['nobody', [], null],
    ['a name alone', ['From: =?utf-8?Q?J=C3=B6rg?='], 'Jörg'],
    ['an address that is encoded as a name', ['From: =?utf-8?Q?anna=40example.com?='], 'anna@example.com'],
    ['a group', ['From: Undisclosed:;'], 'Undisclosed'],
  ])('is stored when it names as its sender %s, as somebody whom no mail reaches', async (_, from, name) => {
    const { id, live } = await newWorkspace();
    const raw = [...from, 'Subject: Hello', '', 'Who am I?'].join('\r\n');
    for (const _ of [1, 2]) await arrives(raw, [`workspace-${id}@${domain}`]);
    const messages: { from: unknown }[] = [];
    for (const { id: threadId } of await threads(live))
      messages.push(...(await live.get(`/v1/email/threads/${threadId}/messages`)).body.items);
    const email = expect.stringMatching(/^[0-9a-f]{32}@sender\.invalid$/);
    expect(messages).toMatchObject([{ from: { name, email } }, { from: messages[0]?.from }]);
    expect(messages[0]).toMatchObject({
      authentication: { verdict: 'fail' },
      bodyText: 'Who am I?\n\n[Left out of this mail: the address of its sender, which cannot be read.]',
    });
    expect((await live.get('/v1/contacts')).body.items).toEqual([]);
  });

  test.each([
    [
      'DMARC passed for it',
      { spf: 'FAIL', dkim: 'FAIL' },
      'x@evil.example',
      'dmarc=pass header.from=example.com',
      'pass',
    ],
    ['DMARC passed for another From', {}, 'x@evil.example', 'dmarc=pass header.from=evil.example', 'fail'],
    [
      'a name quoted in quotes',
      { dmarc: 'GRAY' },
      'x@evil.example',
      'envelope-from="a\\";dkim=pass header.i=@example.com;\\"b"@evil.example',
      'fail',
    ],
    [
      'an encoded word',
      { dmarc: 'GRAY' },
      'x@evil.example',
      'helo= =?us-ascii?q?a=3bdkim=3dpass_header.i=3d=40example.com=3b?=',
      'fail',
    ],
    ['DMARC failed', { dmarc: 'FAIL' }, 'anna@example.com', 'dkim=pass header.i=@example.com', 'fail'],
    ['SPF passed for a subdomain', { dmarc: 'GRAY', dkim: 'FAIL' }, 'b@bounce.example.com', '', 'fail'],
    ['SPF passed below another domain', { dmarc: 'GRAY', dkim: 'FAIL' }, 'b@example.com/ü.evil.example', '', 'fail'],
    [
      'DKIM passed below another domain',
      { dmarc: 'GRAY', spf: 'FAIL' },
      'b@evil.example',
      'dkim=pass header.d=example.com?ü.evil.example',
      'fail',
    ],
    ['SPF passed for another domain', { dmarc: 'GRAY', dkim: 'FAIL' }, 'b@evil.example', '', 'fail'],
    ['DKIM passed for it', { dmarc: 'GRAY', spf: 'FAIL' }, 'b@evil.example', 'dkim=pass header.i=@example.com', 'pass'],
    [
      'DKIM passed for another domain',
      { dmarc: 'GRAY' },
      'b@evil.example',
      'dkim=pass header.i=@notexample.com',
      'fail',
    ],
    [
      'nothing could be checked',
      { dmarc: 'PROCESSING_FAILED', spf: 'GRAY', dkim: 'GRAY' },
      'anna@example.com',
      '',
      'fail',
    ],
  ])('is told from a forged one: %s', async (_, found, source, dkim, verdict) => {
    const { id, live } = await newWorkspace();
    // The second header is what a sender writes below SES's own.
    const results = [
      `amazonses.com; spf=pass client-ip=1.2.3.4; ${dkim}`,
      'amazonses.com; dkim=pass header.i=@example.com',
    ];
    const raw = [...results.map((result) => `Authentication-Results: ${result}`), rawMail()].join('\r\n');
    await arrives(raw, [`workspace-${id}@${domain}`], found, source);
    expect((await onlyMessage(live)).authentication).toMatchObject({ verdict });
  });
});

describe('admin email reread', () => {
  const run = (input: object) => commands.reread.run(input as never);
  const ofSes = (recipient: string) => [
    'Return-Path: <anna@example.com>',
    `Received: from mx.example.com (mx.example.com [192.0.2.1]) by inbound-smtp.eu-west-1.amazonaws.com with SMTP id a1b2 for ${recipient}; Sun, 22 Nov 2026 06:00:00 +0000 (UTC)`,
    'X-SES-Spam-Verdict: PASS',
    'Authentication-Results: amazonses.com; spf=pass (spfCheck: ok) client-ip=192.0.2.1; envelope-from=anna@example.com; helo=mx.example.com; dkim=fail header.i=@example.com; dmarc=none header.from=example.com;',
  ];

  test('reads a mail again as if it had just come, once', async () => {
    const { id, live } = await newWorkspace();
    bucket.put('lost', [...ofSes(`workspace-${id}@${domain}`), rawMail()].join('\r\n'));
    expect(await run({ key: 'lost' })).toMatchObject({ mails: 1, stored: 1 });
    expect(await run({ key: 'lost' })).toMatchObject({ mails: 1, stored: 0, known: 1 });
    expect((await onlyMessage(live)).authentication).toEqual({
      spf: 'pass',
      dkim: 'fail',
      dmarc: 'none',
      verdict: 'pass',
    });
  });

  test('takes the recipients that the operator names', async () => {
    const { id, live } = await newWorkspace();
    bucket.put('blind', rawMail());
    expect(await run({ key: 'blind' })).toMatchObject({ forNobody: 1 });
    expect(await run({ key: 'blind', recipients: [`workspace-${id}@${domain}`] })).toMatchObject({ stored: 1 });
    expect((await onlyMessage(live)).authentication.verdict).toBe('fail');
  });

  test('reads all mails since a time, and skips one that is gone', async () => {
    const { id, live } = await newWorkspace();
    const headers = ofSes(`workspace-${id}@${domain}`);
    bucket.put('old', [...headers, rawMail({ subject: 'Old' })].join('\r\n'), new Date('2026-01-01T00:00:00Z'));
    bucket.put('late', [...headers, rawMail({ subject: 'Late' })].join('\r\n'), new Date('2030-01-02T00:00:00Z'));
    bucket.put('gone', undefined, new Date('2030-01-01T00:00:00Z'));
    expect(await run({ since: '2030-01-01T00:00:00Z' })).toEqual({
      mails: 2,
      stored: 1,
      known: 0,
      forNobody: 0,
      failed: ['gone'],
    });
    expect(await threads(live)).toMatchObject([{ subject: 'Late' }]);
  });
});

test('the name that a server gives itself is neither whom a mail is for nor what SES found', async () => {
  const helo = `x by inbound-smtp.a with b id c for workspace-50@${domain};dkim=pass header.i=@example.com`;
  const headers = [
    `Received: from ${helo} (evil.example [192.0.2.1]) by inbound-smtp.eu-west-1.amazonaws.com with SMTP id y for workspace-1@${domain}; now`,
    `Authentication-Results: amazonses.com; spf=pass client-ip=1.2.3.4; envelope-from=a@evil.example; helo=${helo}; dkim=fail`,
  ];
  const { recipients, results } = arrivalIn(await parseMail([...headers, rawMail()].join('\r\n')));
  expect({ recipients, domains: results.dkimDomains }).toEqual({ recipients: [`workspace-1@${domain}`], domains: [] });
});
