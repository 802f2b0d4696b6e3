import { randomUUID } from 'node:crypto';
import { addressOf, type Letters } from '#test/contract/largest-values.ts';

/** What is kept of a mail is counted in UTF-16 (lib/email/mail.ts). */
const kept = (letters: Letters, characters: number, isMultiLine = false) =>
  letters.text(Math.floor(characters / letters.units), isMultiLine);

const encoded = (text: string) => `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`;

/** A mail with as much of everything as is kept of one. */
export function largestMail(letters: Letters) {
  const text = kept(letters, 100_000, true);
  const subject = letters.text(250);
  const files = Array.from({ length: 100 }, (_, index) => `${index} ${letters.text(60)}`);
  const mailboxes = files.map((_, index) => `${encoded(`${index} ${kept(letters, 190)}`)} <${addressOf(index)}>`);
  const part = (name: string, index: number) => [
    '--b',
    `Content-Type: text/plain; name="${encoded(name)}"`,
    'Content-Disposition: attachment',
    '',
    `${index}`,
  ];
  const raw = [
    `From: ${encoded(letters.text(100))} <${addressOf(1000)}>`,
    `To: ${mailboxes.join(',\r\n ')}`,
    `Cc: ${mailboxes.slice(0, 20).join(',\r\n ')}`,
    `Subject: ${encoded(subject)}`,
    `Message-ID: <${randomUUID().padEnd(985, 'x')}@example.com>`,
    'Content-Type: multipart/mixed; boundary=b',
    ...['', '--b', 'Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: base64', ''],
    Buffer.from(text).toString('base64').replaceAll(/.{76}/g, '$&\r\n'),
    ...files.flatMap(part),
    '--b--',
  ].join('\r\n');
  return { raw, text, subject, files };
}
