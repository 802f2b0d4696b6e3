import { expect, test } from 'vitest';
import { commands } from '#infra/admin/commands/email.ts';
import { parseMail } from '#lib/email/mail.ts';
import { trusted } from '#test/email/raw.ts';
import { newWorkspace } from '#test/workspace.ts';

/** Half a character in every character set that can write one, as an encoded word would hold it. */
const halves: [charset: string, bytes: Buffer][] = [
  ['utf-7', Buffer.from('+2AA-')],
  ['utf-7', Buffer.from('+2ADYAA-')],
  ['utf-7-imap', Buffer.from('&2AA-')],
  ['utf-16', Buffer.from([0xff, 0xfe, 0x3d, 0xd8, 0x41, 0])],
  ['utf-16le', Buffer.from([0, 0xd8, 0x41, 0])],
  ['utf-16be', Buffer.from([0xd8, 0, 0, 0x41])],
  ['ucs2', Buffer.from([0x3d, 0xd8, 0x41, 0])],
  ['utf-32le', Buffer.from([0, 0xd8, 0, 0])],
  ['utf-32be', Buffer.from([0, 0, 0xd8, 0])],
  ['cesu-8', Buffer.from([0xed, 0xa0, 0x80])],
  ['utf-8', Buffer.from([0xed, 0xa0, 0x80])],
];

function mailWith(charset: string, bytes: Buffer): string {
  const word = `=?${charset}?B?${bytes.toString('base64')}?=`;
  const percents = [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  const part = (type: string, disposition: string, content = 'x') => [
    '--x',
    `Content-Type: ${type}`,
    `Content-Disposition: attachment; ${disposition}`,
    '',
    content,
  ];
  const shown = (type: string) => [
    ...['--x', `Content-Type: text/${type}; charset=${charset}`, 'Content-Transfer-Encoding: base64', ''],
    bytes.toString('base64'),
  ];
  return [
    `From: "${word}" <a${word}@example.com>`,
    ...['To', 'Cc'].map((field) => `${field}: ${word} <${field}@example.com>, "${word}" <${word}@example.com>`),
    ...['Subject', 'Date', 'Received', 'Authentication-Results', 'Auto-Submitted'].map((field) => `${field}: ${word}`),
    ...['Message-ID', 'In-Reply-To', 'References'].map((field) => `${field}: <${field}-${word}-${bytes.length}@x>`),
    ...['Content-Type: multipart/mixed; boundary=x', ''],
    ...['plain', 'html'].flatMap(shown),
    ...part(`application/x; name="${word}"`, `filename="${word}"`),
    ...part(`application/${word}`, `filename*=${charset}''${percents}`),
    ...part('application/x', `filename*0*=${charset}''${percents}; filename*1*=${percents}`),
    ...part(`application/x; name*=${charset}''${percents}`, ''),
    ...part('text/html', '', '&#xd83d;<a title="&#xde00;" href="http://x/&#55357;">&#55357;</a>'),
    ...['--x', 'Content-Type: text/html', '', '&#xd83d;<a title="&#xde00;" href="http://x/&#55357;">&#55357;</a>'],
    ...['--x', 'Content-Type: message/rfc822', '', `From: ${word}`, `Subject: ${word}`, '', 'Hi', '--x--'],
  ].join('\r\n');
}

const textsOf = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Object.values(Object(value)).flatMap(textsOf);

test.each(halves)('a mail with half a character in all that can hold one is stored: %s', async (charset, bytes) => {
  const mail = await parseMail(mailWith(charset, bytes));
  expect(mail.attachments.length).toBeGreaterThanOrEqual(5);
  expect(textsOf(mail).filter((text) => !text.isWellFormed())).toEqual([]);
  const workspace = await newWorkspace();
  const raw = mailWith(charset, bytes);
  const { threadId } = await commands.receive.run({ workspaceId: workspace.id, env: 'live', raw, ...trusted });
  const [stored] = (await workspace.live.get(`/v1/email/threads/${threadId}/messages`)).body.items;
  expect(stored.attachments).toMatchObject(mail.attachments);
});
