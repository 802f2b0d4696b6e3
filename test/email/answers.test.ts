import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { commands } from '#infra/admin/commands/email.ts';
import { isOurs } from '#lib/email/address.ts';
import { eventually } from '#test/client.ts';
import { sentWith } from '#test/email/outbox.ts';
import { settle } from '#test/harness.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const receive = (fields: readonly string[], body = 'Hello', env: 'live' | 'test' = 'live') =>
  commands.receive.run({
    workspaceId: workspace.id,
    env,
    raw: [...fields, '', body].join('\r\n'),
    authentication: { spf: 'pass', dkim: 'pass', dmarc: 'pass', verdict: 'pass' },
  });

const messagesOf = async (threadId: number) =>
  (await workspace.live.get(`/v1/email/threads/${threadId}/messages`)).body.items;
const reply = (threadId: number, body: object = {}) =>
  workspace.live.post(`/v1/email/threads/${threadId}/replies`, { bodyText: 'answer', ...body });

test.each([
  ['crm@localhost', true],
  ['workspace-7@mail.example.com', true],
  ['Workspace-7+test@MAIL.example.com', true],
  ['workspace-7@buyer.example', false],
  ['a@mail.example.com', false],
])('an address belongs to the deployment only at its own domain: %s', (email, expected) => {
  vi.stubEnv('MAIL_DOMAIN', 'mail.example.com');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(isOurs(email)).toBe(expected);
});

describe('a reply', () => {
  test.each([
    ['Reply-To: Customer <customer@buyer.example>', ['customer@buyer.example']],
    ['Reply-To: a@buyer.example, b@buyer.example', ['a@buyer.example', 'b@buyer.example']],
    ['Reply-To: =?utf-8?Q?J=C3=B6rg?= <j@buyer.example>', ['j@buyer.example']],
    ['Reply-To: a@bücher.example', ['a@bücher.example']],
    ['Reply-To: a@buyer.example\r\nReply-To: b@buyer.example', ['a@buyer.example', 'b@buyer.example']],
    ['Reply-To: Team: a@buyer.example;', ['a@buyer.example']],
    ['Reply-To:', ['form@shop.example']],
    ['Reply-To: Nobody:;', ['form@shop.example']],
    ['Reply-To: not an address', ['form@shop.example']],
    ['Reply-To: workspace-7@mail.example.org', ['form@shop.example']],
    ['Reply-To: CRM <crm@localhost>, c@buyer.example', ['c@buyer.example']],
    ['X-None: 1', ['form@shop.example']],
  ])('goes where the mail asks with %s', async (field, recipients) => {
    const { threadId } = await receive(['From: Form <form@shop.example>', 'To: sales@acme.example', field]);
    expect((await reply(threadId)).status).toBe(202);
    const [queued] = await messagesOf(threadId);
    expect(queued.to.map(({ email }: { email: string }) => email)).toEqual(recipients);
  });

  test('goes to the same address when it is to all, with the other recipients', async () => {
    const fields = [
      'From: form@shop.example',
      'To: sales@acme.example',
      'Cc: c@buyer.example, CRM <crm@localhost>, workspace-7@mail.example.org',
      'Reply-To: a@buyer.example',
    ];
    const { threadId } = await receive(fields);
    await reply(threadId, { replyAll: true });
    const [queued, received] = await messagesOf(threadId);
    expect(queued).toMatchObject({
      to: [{ email: 'a@buyer.example' }],
      cc: [{ email: 'sales@acme.example' }, { email: 'c@buyer.example' }],
    });
    expect(received).toMatchObject({ replyTo: [{ name: null, email: 'a@buyer.example' }] });
  });

  test('quotes the message that it answers when asked to', async () => {
    const fields = [
      'From: Anna <anna@example.com>',
      'Date: Fri, 20 Nov 2026 10:00:00 +0000',
      'Subject: [EXT] AW: Price',
    ];
    const { threadId } = await receive(fields, 'How much?\r\n> old');
    await reply(threadId, { quote: true, bodyHtml: '<p>5 €</p>' });
    const [queued, received] = await messagesOf(threadId);
    expect(queued).toMatchObject({
      subject: 'Re: Price',
      bodyText: 'answer\n\nOn 2026-11-20 10:00 UTC, Anna <anna@example.com> wrote:\n> How much?\n>> old',
      bodyHtml: expect.stringMatching(/^<p>5 €<\/p><p>On .* wrote:<\/p><blockquote>/),
      newText: 'answer',
      isAutomatic: false,
    });
    expect(received).toMatchObject({ newText: 'How much?' });
    await settle();
    const [sent = ''] = await eventually(async () => {
      const mails = await sentWith('anna@example.com');
      return mails.length > 0 && mails;
    }, 'the mail');
    expect(sent).not.toContain('Auto-Submitted');
  });
});

describe('an automatic message', () => {
  test('is stored as one, reopens no thread, and answers nothing', async () => {
    const own = await newWorkspace();
    const client = own.live;
    const into = (fields: string[]) =>
      commands.receive.run({
        workspaceId: own.id,
        env: 'live',
        raw: ['From: ria@example.com', ...fields, '', 'Hello'].join('\r\n'),
        authentication: { spf: 'pass', dkim: 'pass', dmarc: 'pass', verdict: 'pass' },
      });
    await client.post('/v1/contacts', { name: 'Ria', email: 'ria@example.com' });
    const { threadId } = await into(['Subject: Price', 'Message-ID: <1@x>', 'Reply-To: boss@example.com']);
    await client.post(`/v1/email/threads/${threadId}/replies`, { bodyText: 'Five' });
    await settle();
    await client.post(`/v1/email/threads/${threadId}/status`, { status: 'closed' });
    await into(['Subject: Abwesenheitsnotiz: Re: Price', 'In-Reply-To: <1@x>', 'Message-ID: <2@x>']);
    expect((await client.get(`/v1/email/threads/${threadId}`)).body).toMatchObject({
      status: 'closed',
      unreadCount: 2,
    });
    const [automatic] = (await client.get(`/v1/email/threads/${threadId}/messages`)).body.items;
    expect(automatic).toMatchObject({ isAutomatic: true });
    const rate = async () => (await client.get('/v1/analytics/messaging')).body.totals.replyRate;
    expect(await rate()).toBe(0);
    // An answer goes to whom the person named.
    await client.post(`/v1/email/threads/${threadId}/replies`, { bodyText: 'Again' });
    const [queued] = (await client.get(`/v1/email/threads/${threadId}/messages`)).body.items;
    expect(queued.to).toEqual([{ name: null, email: 'boss@example.com' }]);
    await into(['Subject: Re: Price', 'In-Reply-To: <1@x>', 'Message-ID: <3@x>']);
    expect((await client.get(`/v1/email/threads/${threadId}`)).body).toMatchObject({ status: 'open' });
    expect(await rate()).toBe(1);
  });
});

test('an attachment says whether the text of its mail shows it', async () => {
  const part = (...lines: string[]) => ['--x', ...lines].join('\r\n');
  const body = [
    part('Content-Type: text/html', '', '<img src="cid:a@b">'),
    part('Content-Type: image/png', 'Content-ID: <a@b>', '', 'x'),
    part('Content-Type: application/pdf', '', 'x'),
    '--x--',
  ].join('\r\n');
  const { threadId } = await receive(['From: l@example.com', 'Content-Type: multipart/related; boundary=x'], body);
  const [{ attachments }] = await messagesOf(threadId);
  expect(attachments).toMatchObject([
    { fileName: 'attachment-1.png', contentId: 'a@b', isInline: true },
    { fileName: 'attachment-2.pdf', contentId: null, isInline: false },
  ]);
});
