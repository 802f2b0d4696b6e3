import { syncBuiltinESMExports } from 'node:module';
import { buffer } from 'node:stream/consumers';
import url from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { now } from '#lib/core/clock.ts';
import { sanitise, textOf } from '#lib/email/html.ts';
import { parseMail } from '#lib/email/mail.ts';
import { eachAttachment } from '#lib/email/mime.ts';
import { rawMail } from '#test/email/raw.ts';

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
  test.each(['constructor', '__proto__', 'toString'])(
    'takes a type and an encoding `%s` for unknown ones',
    async (word) => {
      const fields = [`Content-Type: ${word}`, `Content-Transfer-Encoding: ${word}`];
      const { attachments } = await parseMail(['From: a@example.com', ...fields, '', '12345'].join('\r\n'));
      expect(attachments).toMatchObject([{ contentType: expect.stringMatching(new RegExp(word, 'i')), sizeBytes: 5 }]);
    },
  );

  const long = 'x'.repeat(128 * 1024);
  test.each([
    ['one mailbox', 'From: Anna <anna@example.com>', true],
    ['a name that looks like an address', 'From: "eve@evil.example, x" <anna@example.com>', true],
    ['a comma in an encoded name', 'From: =?utf-8?Q?eve=40evil.example=2C?= <anna@example.com>', true],
    ['another sender', 'From: anna@example.com\r\nSender: eve@evil.example', true],
    ['a group of one', 'From: Team: anna@example.com;', true],
    ['a group of two', 'From: Team: anna@example.com, eve@evil.example;', false],
    ['two mailboxes', 'From: anna@example.com, eve@evil.example', false],
    ['two between semicolons', 'From: anna@example.com; eve@evil.example', false],
    ['a second one without an address', 'From: Anna <anna@example.com>, Eve', false],
    ['two headers', 'From: anna@example.com\r\nfrom : eve@evil.example', false],
    ['the same twice', 'From: anna@example.com\r\nFrom: anna@example.com', false],
    ['a second header for which there is no room', `From: "${long}" <anna@example.com>\r\nFrom: a@evil.example`, false],
    [
      'a header after all that are read',
      `From: anna@example.com\r\n${'X:\r\n'.repeat(60_000)}From: a@evil.example`,
      false,
    ],
    ['nobody, but a sender', 'From:\r\nSender: eve@evil.example', false],
    ['an empty group, and a sender', 'From: Undisclosed:;\r\nSender: eve@evil.example', false],
    ['no From, but a sender', 'Sender: eve@evil.example', false],
    ['an address that is kept shortened', `From: ${'a'.repeat(250)}@example.com`, false],
  ])('tells whether it has one author: %s', async (_, fields, hasOneAuthor) => {
    expect(await parseMail(`${fields}\r\n\r\nHello`)).toMatchObject({ hasOneAuthor });
  });

  test('decodes names, subject, body and attachments', async () => {
    expect(await parseMail(multipart)).toEqual({
      messageId: 'm@example.com',
      references: ['direct@example.com', 'root@example.com'],
      hasOneAuthor: true,
      from: { name: 'Jörg', email: 'joerg@example.com' },
      to: [
        { name: null, email: 'a@example.com' },
        { name: 'B, C', email: 'b@example.com' },
        { name: null, email: 'c@example.com' },
      ],
      cc: [],
      subject: 'Über Boote',
      bodyText: 'Grüße & mehr\nEnde',
      bodyHtml: '<p>Grüße &amp; mehr</p><p>Ende</p>',
      newText: 'Grüße & mehr\nEnde',
      replyTo: [],
      attachments: [
        {
          ...{ id: 1, fileName: 'offer.pdf', contentType: 'application/pdf', sizeBytes: 5 },
          ...{ contentId: null, isInline: false },
        },
      ],
      sentAt: '2020-11-20T22:17:47Z',
      isAutomatic: false,
      ses: {},
    });
  });

  test('finds what is shown in alternatives, flowed lines, character sets and messages inside', async () => {
    const raw = [
      'From: a@example.com',
      'Content-Type: multipart/mixed; boundary=m',
      '',
      '--m',
      'Content-Type: multipart/alternative; boundary=n',
      '',
      '--n',
      'Content-Type: text/plain; charset=koi8-r; format=flowed; delsp=yes',
      'Content-Transfer-Encoding: base64',
      '',
      Buffer.concat([Buffer.from([0xf0, 0xf2]), Buffer.from(' \r\nrest')]).toString('base64'),
      '--n',
      'Content-Type: text/html',
      '',
      '<b>rich</b>',
      '--n--',
      '--m',
      'Content-Type: message/rfc822',
      '',
      'From: =?utf-8?Q?J=C3=B6rg?= <joerg@example.com>',
      'Subject: Inside',
      '',
      '1 < 2',
      '--m--',
    ].join('\r\n');
    expect(await parseMail(raw)).toMatchObject({
      bodyText: 'ПРrest\nFrom: Jörg <joerg@example.com>\nSubject: Inside\n\n1 < 2',
      bodyHtml: '<b>rich</b>\n<div>From: Jörg &lt;joerg@example.com&gt;<br />Subject: Inside<br /><br />1 &lt; 2</div>',
      attachments: [],
    });
  });

  test('takes a text that is named for a file, as Apple Mail sends it, but none of alternatives', async () => {
    const part = (disposition: string, more: string[]) => [
      ...['--y', `Content-Type: text/${more[0]}`, `Content-Disposition: ${disposition}`],
      ...['Content-Transfer-Encoding: base64', '', Buffer.from(more[1] ?? '').toString('base64')],
    ];
    const raw = [
      ...['From: anna@example.com', 'Content-Type: multipart/alternative; boundary=x', ''],
      ...['--x', 'Content-Type: text/plain; name="body.txt"', '', 'Here they are.'],
      ...['--x', 'Content-Type: multipart/mixed; boundary=y', ''],
      ...['--y', 'Content-Type: text/html', '', '<p>Here they are.</p>'],
      ...part('inline; filename="customers.txt"', ['plain', 'row\n'.repeat(50_000)]),
      ...part('inline; filename="report.html"', ['html', '<script>chart()</script>']),
      ...['--y', 'Content-Type: text/plain; name="log.txt"', '', '1'],
      ...['--y--', '--x--'],
    ].join('\r\n');
    const { bodyText, bodyHtml, attachments } = await parseMail(raw);
    expect([bodyText, bodyHtml?.trim()]).toEqual(['Here they are.', '<p>Here they are.</p>']);
    expect(attachments.map(({ fileName, sizeBytes }) => [fileName, sizeBytes])).toEqual([
      ['customers.txt', 200_000],
      ['report.html', 24],
      ['log.txt', 1],
    ]);
    const inline = ['From: a@example.com', 'Content-Type: text/plain', 'Content-Disposition: inline', '', 'Hello'];
    expect(await parseMail(inline.join('\r\n'))).toMatchObject({ bodyText: 'Hello', attachments: [] });
  });

  test('hands on the bytes of a file: none of an empty one, of base64 none after its padding', async () => {
    const files = [
      ...['7bit', 'quoted-printable', 'base64'].map((encoding) => ({ encoding, sent: '', bytes: '' })),
      { encoding: 'base64', sent: 'aGVsbG8=\r\n\r\n_______\r\nA list has put this here', bytes: 'hello' },
      { encoding: 'base64', sent: 'aGVs\r\nbG8h', bytes: 'hello!' },
      { encoding: '7bit', sent: '\r\nhello\r\n', bytes: '\r\nhello\r\n' },
    ];
    const raw = [
      'From: a@example.com\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n',
      '--x\r\nContent-Type: text/plain\r\nContent-Transfer-Encoding: base64\r\n\r\nSGVsbG8=\r\n_____\r\nA list\r\n',
      ...files.map(
        ({ encoding, sent }) =>
          `--x\r\nContent-Type: application/pdf\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n${sent}\r\n`,
      ),
      '--x--\r\n',
    ].join('');
    const found: string[] = [];
    await eachAttachment(Buffer.from(raw), async (index, bytes) => {
      found[index] = (await buffer(bytes)).toString();
    });
    expect(found).toEqual(files.map(({ bytes }) => bytes));
    const { bodyText, attachments } = await parseMail(raw);
    expect(bodyText).toBe('Hello');
    expect(attachments.map(({ sizeBytes }) => sizeBytes)).toEqual(files.map(({ bytes }) => bytes.length));
  });

  test('takes quoted-printable as RFC 2045 says, and what is none of it as it is', async () => {
    const lines = ['Gr=C3=BC=c3=9fe=20 \t', 'a =', 'b = \t', ' c=3D', '1 = 2 =G0 =4', '', 'd=20', 'e='];
    const head = ['From: a@example.com', 'Content-Transfer-Encoding: quoted-printable', '', ''];
    for (const lineBreak of ['\r\n', '\n']) {
      const { bodyText } = await parseMail(`${head.join('\r\n')}${lines.join(lineBreak)}`);
      expect(bodyText).toBe('Grüße \na b  c=\n1 = 2 =G0 =4\n\nd \ne');
    }
  });

  test('takes a carriage return in a header that ends no line for a space', async () => {
    const fields = ['From: a@example.com', 'Subject: A\r\rB', 'X-A: b', '\rFrom: eve@evil.example', '', 'text\rhere'];
    expect(await parseMail(fields.join('\r\n'))).toMatchObject({
      from: { email: 'a@example.com' },
      hasOneAuthor: true,
      subject: 'A  B',
    });
  });

  test('keeps what fits, without control characters, and names what it left out', async () => {
    const long = (unit: string, count: number) => unit.repeat(count);
    const people = Array.from({ length: 150 }, (_, index) => `"${long('ü', 201)}" <p${index}@example.com>`);
    const parts = Array.from({ length: 102 }, () =>
      ['--x', `Content-Disposition: attachment; filename="${long('n', 300)}"`, '', 'a'].join('\r\n'),
    );
    const mail = await parseMail(
      [
        `From: ${long('漢', 201)}\u0001 <${long('a', 300)}@example.com>`,
        `To: ${people.join(', ')}`,
        `Subject: A\u0000B\u0085C${long(' subject', 200)}`,
        `Message-ID: <${long('é', 600)}@example.com>`,
        'Content-Type: multipart/mixed; boundary=x',
        '',
        '--x',
        'Content-Type: text/plain; charset=utf-8',
        '',
        `${long('😀', 60_000)}\u0007`,
        ...parts,
        '--x--',
      ].join('\r\n'),
    );
    expect(mail.from).toEqual({
      name: long('漢', 200),
      email: expect.stringMatching(/^[0-9a-f]{32}@sender\.invalid$/),
    });
    expect(mail.to).toHaveLength(100);
    expect(mail.to[0]).toEqual({ name: long('ü', 200), email: 'p0@example.com' });
    expect(mail.subject).toMatch(/^ABC subject/);
    expect(mail.subject).toHaveLength(998);
    expect(mail.messageId).toMatch(/^é{477}\.[\w-]{43}$/);
    expect(mail.attachments).toHaveLength(100);
    expect(mail.attachments[0]).toMatchObject({ fileName: long('n', 255) });
    expect(mail.bodyText.length).toBeLessThanOrEqual(100_000);
    expect(mail.bodyText).toMatch(/^😀+\ufffd?\n\n\[Left out of this mail: .*\]$/u);
    for (const part of [
      'the end of its text',
      '50 of its recipients',
      '2 of its attachments',
      'the end of long names',
      'addresses longer than any can be',
      'the end of long file names and types',
    ])
      expect(mail.bodyText).toContain(part);
  });

  test('leaves addresses and ids out that it cannot keep whole: their beginning is somebody else', async () => {
    const long = `a@${'b'.repeat(247)}.example.com`;
    const near = `a@${'b'.repeat(240)}.example.com`;
    const many = Array.from({ length: 9000 }, (_, index) => `person${index}@example.com`);
    const mail = await parseMail(
      [
        `From: ${near}`,
        `To: ${long}, b@example.com, Team: ${long};`,
        `Cc: ${many.join(',')}`,
        `In-Reply-To: <${'i'.repeat(200_000)}@example.com>`,
        `References: ${many.map((id) => `<${id}>`).join(' ')}`,
        '',
        'Hello',
      ].join('\r\n'),
    );
    expect(mail.from.email).toBe(near);
    expect(mail.to.map(({ email }) => email)).toEqual(['b@example.com']);
    expect(mail.cc.filter(({ email }) => !many.includes(email))).toEqual([]);
    expect(mail.references.filter((id) => !many.includes(id))).toEqual([]);
    expect(mail.bodyText).toContain('addresses longer than any can be');
  });

  test('writes no domain in ASCII of an address that is longer than any can be', async () => {
    const long = Array.from({ length: 20 }, (_, index) => `a${index}@${'例'.repeat(2_000)}`).join(', ');
    const domainToASCII = vi.spyOn(url, 'domainToASCII');
    syncBuiltinESMExports();
    try {
      const mail = await parseMail(`From: ${long}\r\nTo: ${long}, b@例.example\r\n\r\nHello`);
      expect(mail.to.map(({ email }) => email)).toEqual(['b@例.example']);
      expect(domainToASCII.mock.calls).toEqual([['例.example']]);
    } finally {
      domainToASCII.mockRestore();
      syncBuiltinESMExports();
    }
  });

  test('knows who wrote from an address that it cannot keep again, and no address of theirs', async () => {
    const from = async (address: string) => (await parseMail(`From: A <${address}>\r\n\r\nHello`)).from;
    const long = `a@${'b'.repeat(300)}.example.com`;
    expect(await from(long)).toEqual(await from(long));
    expect((await from(long)).email).not.toBe((await from(`a${long}`)).email);
  });

  test('says nothing of names and a subject that it keeps whole, whatever their characters', async () => {
    const name = '😀'.repeat(150);
    const subject = '😀'.repeat(600);
    const mail = await parseMail(`From: "${name}" <a@example.com>\r\nSubject: ${subject}\r\n\r\nHello`);
    expect(mail).toMatchObject({ from: { name }, subject, bodyText: 'Hello' });
  });

  test('believes no date that is ahead of ours', async () => {
    const { sentAt } = await parseMail(`Date: Fri, 20 Nov 2999 23:17:47 +0000\r\n${rawMail()}`);
    expect(new Date(sentAt).getTime()).toBeLessThanOrEqual(now());
  });

  test.each([
    ['Auto-Submitted: auto-replied', true],
    ['Auto-Submitted: no', false],
    ['X-Autoreply: yes', true],
  ])('with %s knows whether somebody wrote it', async (header, isAutomatic) => {
    expect(await parseMail(`${header}\r\n${rawMail()}`)).toMatchObject({ isAutomatic });
  });

  test('tells senders apart whose addresses cannot be read, and takes no encoded word for an address', async () => {
    const from = async (header: string) => (await parseMail(`${header}\r\n\r\nHello`)).from;
    const anna = await from('From: =?utf-8?Q?anna=40example.com?=');
    expect(anna).toEqual(await from('From: =?utf-8?Q?anna=40example.com?='));
    const others = [
      'From: =?utf-8?Q?anna?=',
      'From: <anna>',
      'From:',
      'Sender: Anna',
      'Subject: Hello',
      '\0',
      'From: @',
      'From: a@',
    ];
    const known = new Set([anna.email, ...(await Promise.all(others.map(from))).map(({ email }) => email)]);
    expect(known.size).toBe(7);
    for (const email of known) expect(email).toMatch(/@sender\.invalid$/);
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

test('HTML that is nested without end is its text', async () => {
  const mail = await parseMail(rawMail({ html: `${'<i>'.repeat(2000)}a &amp; b<script>` }));
  expect(mail).toMatchObject({ bodyHtml: 'a &amp; b', bodyText: 'a & b' });
});

test('the sender is found behind more headers than are kept, and the omission is named', async () => {
  const mail = await parseMail(`${'To:\r\n'.repeat(600_000)}${rawMail({ text: 'Hi' })}`);
  expect(mail).toMatchObject({
    from: { email: 'anna@example.com' },
    bodyText: 'Hi\n\n[Left out of this mail: headers, or parts of them.]',
  });
});

test('HTML of which no beginning is short enough once it is safe is left out, and its text stays', async () => {
  const html = `<p>Hello</p>${'&'.repeat(50_000)}<!--${'x'.repeat(140_000)}-->`;
  const mail = await parseMail(rawMail({ html }));
  expect(mail.bodyHtml).toBeNull();
  expect(mail.bodyText).toMatch(/^Hello/);
  expect(mail.bodyText).toContain('its HTML, which could not be read');
});

test.each([
  ...['iso-2022-jp', 'gb18030', 'utf-16le', 'x-user-defined', 'replacement', 'iso-2022-kr', 'utf-7', 'constructor'],
  ...['__proto__', "utf-8''%E0%A4%A", '=?utf-8?B?====?=', '"', ''],
])('text in the unreadable charset %s is read as far as possible, in every encoding', async (charset) => {
  const bytes = Buffer.from('\u001b$B\u00e2\u0082=4=ZZ%E0 \r\n> \r\n-- \r\n\ud83d', 'latin1');
  const words = ['B', 'Q', 'X'].map((kind) => `=?${charset}?${kind}?=E2=82====?=`).join(' ');
  const parts = ['base64', 'quoted-printable', '8bit', '__proto__'].flatMap((encoding) => [
    `Content-Type: text/plain; charset=${charset}; format=flowed; delsp=yes\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`,
    `Content-Type: message/rfc822\r\n\r\nFrom: ${words}\r\nSubject: ${words}\r\nContent-Type: text/html; charset=${charset}\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`,
  ]);
  const raw = Buffer.concat([
    Buffer.from('From: Anna <anna@example.com>\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n'),
    ...parts.flatMap((part) => [Buffer.from(`--x\r\n${part}`), bytes, Buffer.from('\r\n')]),
    Buffer.from('--x\r\nContent-Type: text/plain\r\n\r\nthe last part\r\n--x--\r\n'),
  ]);
  const { bodyText } = await parseMail(raw);
  expect(bodyText).toMatch(/the last part(\n\n\[Left out of this mail: characters that its charset [^\n]*\])?$/);
});
