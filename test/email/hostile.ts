import { marshall } from '@aws-sdk/util-dynamodb';
import { parseMail } from '#lib/email/mail.ts';

/** Reads each of the mails that somebody would send to exhaust us, one after the other, and tells what was made of it and of the memory. */
const bytes = Number(process.argv[2]);
const filled = (unit: string, size = bytes) => Buffer.alloc(size, unit);
const head = (fields: string[] = []) =>
  Buffer.from(['From: Anna <anna@example.com>', 'Subject: Hello', ...fields, '', ''].join('\r\n'));
const mail = (fields: string[], ...body: (string | Buffer)[]) =>
  Buffer.concat([head(fields), ...body.map((part) => Buffer.from(part))]);
const parts = (part: string, size = bytes) => mail(['Content-Type: multipart/mixed; boundary=x'], filled(part, size));
const nested = (depth: number) =>
  Array.from({ length: depth }, (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}\r\n`).join(
    '',
  );

/** As many of something as fill a header field. */
const field = (unit: string) => unit.repeat(Math.floor(120_000 / unit.length));
/** A message of so many parts of one content, each in bytes that no charset names. */
const partsOf = (count: number, type: string, text: string, fields = '') =>
  Buffer.from(
    `From: a@example.com\r\n${fields}Content-Type: multipart/mixed; boundary=x\r\n\r\n` +
      `--x\r\nContent-Type: ${type}\r\n\r\n${text}\r\n`.repeat(count),
    'latin1',
  );
const words = '=?x?q?=E0=E1?= =?y?q?=E0=E1?= ';

const mails: Record<string, () => Buffer> = {
  'words in charsets that switch': () =>
    mail([`X-A: b\r\nSubject: ${field('=?iso-2022-jp?q?=E0=E1=E2?= =?hz?q?=E0=E1=E2?= ')}`], 'text'),
  'words in charsets that nobody knows': () =>
    mail(
      ['Sender', 'Reply-To', 'To', 'Cc', 'References'].map((name) => `${name}: ${field(words)}`),
      'text',
    ),
  'charsets that differ from word to word': () =>
    mail(
      ['Reply-To', 'To', 'Cc'].map(
        (name) => `${name}: ${Array.from({ length: 6000 }, (_, at) => `=?x${name}${at}?q?=E0?=`).join(' ')}`,
      ),
      'text',
    ),
  'words in heads of messages inside': () =>
    partsOf(900, 'message/rfc822', `From: a@example.com\r\nSubject: ${words.repeat(60)}\r\n\r\nx`),
  'hints to the charset of every part': () =>
    partsOf(990, 'text/plain; charset=x-unknown', '\xe0\xe1\xe2', `X-A: ${field('=?koi8-r?q?=E0?= ')}\r\n`),
  'parts in charsets that nobody knows': () =>
    partsOf(990, 'text/plain; charset=x-unknown', '\xe0\xe1\xe2 \xe3\xe4\xff'.repeat(160)),
  'comments without an end': () => partsOf(290, 'text/html; charset=x', '<!--'.repeat(2040)),
  'tags of charsets without an end': () => partsOf(290, 'text/html; charset=x', '<meta '.repeat(1360)),
  'blanks before a charset': () => partsOf(290, 'text/html; charset=x', `<meta charset=${' '.repeat(8100)}>`),
  'empty lines before an end': () => mail([], 'a', filled('\n', 99_998), 'x'),
  'fields that grow in UTF-8': () =>
    Buffer.from(
      `From: a@example.com\r\n${[...['sender', 'reply-to', 'to', 'cc', 'subject', 'in-reply-to', 'references'], ...['message-id', 'date', 'precedence', 'return-path']].map((name) => `${name}: ${'\xe9'.repeat(120_000)}\r\n`).join('')}Content-Type: text/plain; charset=iso-8859-1\r\n\r\n\xe9`,
      'latin1',
    ),
  'delimiters that no multipart around names': () =>
    mail(['Content-Type: multipart/mixed; boundary=b'], '--b\r\n', nested(300), filled('--a \r\n')),
  'parts of multiparts without a boundary': () =>
    mail(
      ['Content-Type: multipart/mixed; boundary=b'],
      '--b\r\n',
      filled('Content-Type: multipart/mixed\r\n\r\n--y\r\nX-A: b\r\n'),
    ),
  'empty lines': () => mail([], filled('\r\n')),
  'flowed lines': () => mail(['Content-Type: text/plain; format=flowed'], filled('a \r\n')),
  'closing tags without an end': () => mail(['Content-Type: text/html'], filled('</P\u0001D')),
  'tags without an end': () => mail(['Content-Type: text/html'], filled('<br ')),
  'open tags': () => mail(['Content-Type: text/html'], filled('<div>')),
  'styles without an end': () => mail(['Content-Type: text/html'], filled('<p style="/*">')),
  entities: () => mail(['Content-Type: text/html'], filled('&#x26;lt;')),
  'signs that grow': () => mail(['Content-Type: text/html'], filled('<')),
  'deep multiparts': () => Buffer.from(`From: a@example.com\r\n${nested(300_000)}`),
  'boundaries that are looked for in every line': () =>
    Buffer.concat([Buffer.from(`From: a@example.com\r\n${nested(900)}`), filled('--\n')]),
  'empty lines in deep multiparts': () =>
    Buffer.concat([Buffer.from(`From: a@example.com\r\n${nested(900)}`), filled('\n')]),
  'long boundaries': () =>
    mail([`Content-Type: multipart/mixed; boundary=${'x'.repeat(60_000)}`], filled(`--${'x'.repeat(60_000)}y\n`)),
  'many headers': () => mail([filled('X-A: b\r\n').toString()], 'text'),
  'empty recipients': () => mail([filled('To:\n').toString()], 'text'),
  'empty fields before the sender': () => Buffer.concat([filled('to:\n'), head(), Buffer.from('text')]),
  'fields without a name': () => mail([filled(':\n').toString()], 'text'),
  'fields with spaces after the name': () => mail([filled(`to${' '.repeat(500)}\n`).toString()], 'text'),
  'empty lines of a header': () => mail([`Cc: ${filled('\n ').toString()}`], 'text'),
  'short lines of a header': () => mail([`Cc: ${filled('a\r\n ').toString()}`], 'text'),
  'short lines in heads of parts': () => parts(`--x\r\n${'a:b\r\n'.repeat(190_000)}\r\nx\r\n`),
  'folded lines in heads of parts': () => parts(`--x\r\nContent-Type: a/b;${'\r\n '.repeat(20_000)}\r\n\r\nx\r\n`),
  'pieces of file names': () =>
    parts(
      `--x\r\nContent-Type: a/b; ${Array.from({ length: 60_000 }, (_, at) => `name*${at}*=%41;`).join('')}\r\n\r\nx\r\n`,
    ),
  'carriage returns in a header': () =>
    Buffer.concat([Buffer.from('X-A: '), filled('\r'), Buffer.from('x\r\n'), head(), Buffer.from('text')]),
  'carriage returns in heads of parts': () => parts(`--x\r\nX-A: ${'\r'.repeat(60_000)}x\r\n\r\nx\r\n`),
  'one header': () => mail([`X-A: ${filled('a').toString()}`], 'text'),
  'many addresses': () => mail([`Cc: ${filled('a:b@example.com;').toString()}`], 'text'),
  'many groups': () => mail([`To: ${filled('a:').toString()}`], 'text'),
  'encoded words of a subject': () => mail([`X-A: b\r\nSubject: ${filled('=?utf-8?Q?=41?= ').toString()}`], 'text'),
  'many encoded words': () => mail([`To: ${filled('=?utf-8?B?w5xiZXI=?= ').toString()} <a@example.com>`], 'text'),
  'many references': () => mail([`References: ${filled('<a@b> ').toString()}`], 'text'),
  'references in lines of their own': () => mail([`References: ${filled('<a@b>\r\n ').toString()}`], 'text'),
  'tiny attachments': () => parts('--x\r\nContent-Disposition: attachment; filename="a.pdf"\r\n\r\naGVsbG8=\r\n'),
  'empty parts': () => parts('--x\n\n'),
  'messages inside': () => parts('--x\r\nContent-Type: message/rfc822\r\n\r\nFrom: a@b.c\r\n\r\nhi\r\n'),
  'encodings that every object knows': () =>
    parts('--x\r\nContent-Type: a/b\r\nContent-Transfer-Encoding: __proto__\r\n\r\naGVsbG8=\r\n'),
  'base64 of empty lines': () => mail(['Content-Transfer-Encoding: base64'], filled('\n')),
  'quoted-printable of joined lines': () => mail(['Content-Transfer-Encoding: quoted-printable'], filled('=\r\n')),
  'blanks of quoted-printable': () =>
    mail(['Content-Transfer-Encoding: quoted-printable'], filled(' \t'), filled('x', 1)),
  'lines of blanks in quoted-printable': () =>
    mail(['Content-Transfer-Encoding: quoted-printable'], filled(`${' '.repeat(988)}x\r\n`)),
  'blanks before joined lines': () =>
    mail(['Content-Transfer-Encoding: quoted-printable'], filled(`${' '.repeat(988)}=\r\n`)),
  'a charset that changes at every character': () =>
    mail(['Content-Type: text/plain; charset=iso-2022-jp'], filled('\u001b$B\u001b(B')),
  base64: () => mail(['Content-Type: a/b', 'Content-Transfer-Encoding: base64'], filled('=A')),
  'quoted-printable': () => mail(['Content-Transfer-Encoding: quoted-printable'], filled('=41')),
};

for (const [name, make] of Object.entries(mails)) {
  // What the one before has left is none of its own.
  globalThis.gc?.();
  const raw = make();
  const before = process.cpuUsage();
  const read = await parseMail(raw);
  const { user, system } = process.cpuUsage(before);
  // What cannot be stored throws.
  marshall(read, { removeUndefinedValues: true });
  const size = Buffer.byteLength(JSON.stringify(read));
  const cpuMs = Math.round((user + system) / 1000);
  const maxRssMb = Math.round(process.resourceUsage().maxRSS / 1024);
  process.stdout.write(`${JSON.stringify({ name, from: read.from.email, size, cpuMs, maxRssMb })}\n`);
}
