import { describe, expect, test } from 'vitest';
import { sanitise, textOf } from '#lib/email/html.ts';
import { deliverIncoming } from '#lib/email/incoming.ts';
import { parseMail } from '#lib/email/mail.ts';
import { newWorkspace } from '#test/workspace.ts';
import { rawMail } from './raw.ts';

const multipart = [
  'From: =?utf-8?Q?J=C3=B6rg?= <joerg@example.com>',
  'To: Team: a@example.com, "B, C" <b@example.com>;, c@example.com',
  'Subject: =?utf-8?B?w5xiZXI=?=',
  ' Boote',
  'Date: Fri, 20 Nov 2020 23:17:47 +0100',
  'Message-ID: <m@example.com>',
  'In-Reply-To: <direct@example.com>',
  'References: <root@example.com> <direct@example.com>',
  'Content-Type: multipart/mixed; boundary=x',
  '',
  '--x',
  'Content-Type: text/html; charset=iso-8859-1',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  '<p>Gr=FC=DFe &amp; mehr</p><script>steal()</script><p>Ende</p>',
  '--x',
  'Content-Type: application/pdf; name="offer.pdf"',
  'Content-Disposition: attachment; filename="offer.pdf"',
  'Content-Transfer-Encoding: base64',
  '',
  'aGVsbG8=',
  '--x--',
].join('\r\n');

describe('reading a mail', () => {
  test('decodes names, subject, body and attachments', async () => {
    expect(await parseMail(multipart)).toEqual({
      messageId: 'm@example.com',
      references: ['direct@example.com', 'root@example.com'],
      from: { name: 'Jörg', email: 'joerg@example.com' },
      to: [
        { name: null, email: 'a@example.com' },
        { name: 'B, C', email: 'b@example.com' },
        { name: null, email: 'c@example.com' },
      ],
      cc: [],
      deliveredTo: ['a@example.com', 'b@example.com', 'c@example.com'],
      subject: 'Über Boote',
      bodyText: 'Grüße & mehr\nEnde',
      bodyHtml: '<p>Grüße &amp; mehr</p><p>Ende</p>',
      attachments: [{ id: 1, fileName: 'offer.pdf', contentType: 'application/pdf', sizeBytes: 5 }],
      sentAt: '2020-11-20T22:17:47Z',
      isAutomatic: false,
      isSpam: false,
    });
  });

  test('believes no date that is ahead of ours', async () => {
    const { sentAt } = await parseMail(`Date: Fri, 20 Nov 2999 23:17:47 +0000\r\n${rawMail()}`);
    expect(new Date(sentAt).getTime()).toBeLessThanOrEqual(Date.now());
  });

  test.each([
    ['Auto-Submitted: auto-replied', true],
    ['Auto-Submitted: no', false],
    ['X-Autoreply: yes', true],
  ])('with %s knows whether somebody wrote it', async (header, isAutomatic) => {
    expect(await parseMail(`${header}\r\n${rawMail()}`)).toMatchObject({ isAutomatic });
  });

  test('refuses what names no sender', async () => {
    await expect(parseMail('Subject: Hello\r\n\r\nWho am I?')).rejects.toMatchObject({ code: 'bad_request' });
  });
});

describe('mail HTML', () => {
  test.each([
    ['scripts', '<img src=x onerror=alert(1)><script>alert(1)</script>', '<img src="x" />'],
    ['script links', '<a href="javascript:alert(1)">x</a>', '<a rel="noopener noreferrer" target="_blank">x</a>'],
    ['frames and forms', '<iframe src="https://x.test"></iframe><form action="/x"><input></form>', ''],
    ['styles that load', '<p style="background:url(https://x.test); color: red">x</p>', '<p style="color:red">x</p>'],
    ['style sheets', '<style>p{color:red}</style><p>x</p>', '<p>x</p>'],
    ['protocol-relative images', '<img src="//x.test/a.png">', '<img />'],
  ])('is shown without %s', (_, html, safe) => {
    expect(sanitise(html)).toBe(safe);
  });

  test('becomes readable text', () => {
    expect(textOf('<h1>Hi</h1><p>a&nbsp;&lt;b&gt;<br>c</p><style>p{}</style>')).toBe('Hi\na <b>\nc');
  });
});

describe('mail from the bucket', () => {
  const arrive = (headers: string[]) =>
    deliverIncoming(Buffer.from([...headers, rawMail({ to: 'list@example.com' })].join('\r\n')));
  const threads = async ({ get }: { get: (path: string) => Promise<{ body: { items: { status: string }[] } }> }) =>
    (await get('/v1/email/threads')).body.items;

  test('reaches the workspace and environment that it was delivered to, also as a blind copy', async () => {
    const { id, live, test: sandbox } = await newWorkspace();
    await arrive([`Received: from mail.example.com by inbound-smtp for workspace-${id}@mail.example.org; now`]);
    expect([await threads(live), await threads(sandbox)]).toMatchObject([[{ status: 'open' }], []]);
    await arrive([`Delivered-To: workspace-${id}+test@mail.example.org`]);
    expect([await threads(live), await threads(sandbox)]).toMatchObject([[{}], [{ status: 'open' }]]);
  });

  test('is spam when SES says so', async () => {
    const { id, live } = await newWorkspace();
    await arrive([`Delivered-To: workspace-${id}@mail.example.org`, 'X-SES-Spam-Verdict: FAIL']);
    expect(await threads(live)).toMatchObject([{ status: 'spam' }]);
  });

  test('for a workspace that is not there, or from nobody, is left alone', async () => {
    await arrive(['Delivered-To: workspace-2000000000@mail.example.org']);
    await deliverIncoming(Buffer.from('Subject: Hello\r\n\r\n'));
  });
});
