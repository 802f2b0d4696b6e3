import { randomFillSync } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import * as v from 'valibot';
import { beforeAll, expect, test } from 'vitest';
import { commands } from '#infra/admin/commands/email.ts';
import { unpacked } from '#lib/email/body.ts';
import { parseMail } from '#lib/email/mail.ts';
import { EmailMessages } from '#lib/entities/email-message.ts';
import { eventually } from '#test/client.ts';
import { trusted } from '#test/email/raw.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

/** Texts that hardly grow shorter by being packed, from so many characters of a script. */
const lettersOf = (first: number, count: number) => (length: number) =>
  String.fromCodePoint(...randomFillSync(new Uint32Array(length)).map((random) => first + (random % count)));
const scripts = {
  none: () => '',
  quotes: (length: number) => '"\\'.repeat(length / 2),
  ascii: lettersOf(0x3f, 60),
  han: lettersOf(0x4e00, 20_000),
  astral: lettersOf(0x20000, 40_000),
};
type Script = keyof typeof scripts;
const base64 = (text: string) => Buffer.from(text).toString('base64').replaceAll(/.{76}/g, '$&\r\n');
const words = (text: string) => `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`;
const long = (script: Script, units: number) => {
  const letters = [];
  for (let left = units; left > 0; left -= 10_000) letters.push(scripts[script](Math.min(left, 10_000)));
  return letters.join('');
};

function mail(names: Script, text: Script, html: Script): string {
  const people = (letter: string) =>
    Array.from(
      { length: 100 },
      (_, at) => `${words(scripts[names](190))} <${letter}${at}${'漢'.repeat(75)}@example.com>`,
    );
  const part = (type: string, content: string) => [
    ...['--x', `Content-Type: text/${type}; charset=utf-8`, 'Content-Transfer-Encoding: base64', ''],
    base64(content),
  ];
  const file = [
    ...['--x', `Content-Type: application/${'t'.repeat(240)}`],
    ...[`Content-Disposition: attachment; filename*=utf-8''${encodeURIComponent(scripts[names](250))}`, '', 'x'],
  ];
  return [
    `From: ${words(scripts[names](200))} <${names}-${text}-${html}@example.com>`,
    `To: ${people('t').join(',\r\n ')}`,
    `Cc: ${people('c').join(',\r\n ')}`,
    `Subject: ${words(scripts[names](998))}`,
    `Message-ID: <${names}-${text}-${html}-${'漢'.repeat(300)}@example.com>`,
    ...['Content-Type: multipart/mixed; boundary=x', ''],
    ...(text === 'none' ? [] : part('plain', long(text, 100_000))),
    ...(html === 'none' ? [] : part('html', long(html, 199_000))),
    ...Array.from({ length: 100 }, () => file).flat(),
    '--x--',
  ].join('\r\n');
}

const bodies: [text: Script, html: Script][] = [
  ['quotes', 'none'],
  ['han', 'none'],
  ['astral', 'none'],
  ['none', 'han'],
  ['ascii', 'astral'],
  ['han', 'han'],
];
const mails = (Object.keys(scripts) as Script[]).flatMap((names) => bodies.map((body) => [names, ...body] as const));

test.each(mails)(
  'a mail with the most of everything is stored whole: names %s, text %s, HTML %s',
  async (...scripts) => {
    const raw = mail(...scripts);
    const { messageId: _, references, hasOneAuthor, isAutomatic, ses, sentAt, ...kept } = await parseMail(raw);
    const place = { workspaceId: workspace.id, env: 'live' as const, ...trusted };
    const { threadId } = await commands.receive.run({ ...place, raw });
    const [stored] = (await workspace.live.get(`/v1/email/threads/${threadId}/messages`)).body.items;
    expect(stored).toMatchObject(kept);
  },
);

test('HTML that is longer than is kept once it is safe is refused, and any other is read and sent', async () => {
  const { test: client } = workspace;
  const written = { to: ['ann@example.com'], subject: 'Long', bodyText: '😀'.repeat(100_000) };
  const grown = await client.post('/v1/email/messages', { ...written, bodyHtml: '<a>'.repeat(60_000) });
  expect([grown.status, grown.body.details]).toEqual([
    400,
    { fields: [{ field: 'bodyHtml', code: 'too_long', message: expect.stringContaining('2940000 characters') }] },
  ]);
  const { status, body } = await client.post('/v1/email/messages', { ...written, bodyHtml: '&'.repeat(200_000) });
  expect(status).toBe(202);
  await eventually(async () => (await client.get(`/v1/jobs/${body.id}`)).body.status === 'sent', 'the mail');
  const [{ bodyHtml }] = (await client.get(`/v1/email/threads/${body.threadId}/messages`)).body.items;
  expect(bodyHtml).toHaveLength(1_000_000);
});

test('what a row says of its body is bounded, should an archive say that it is endless', () => {
  const bomb = gzipSync(Buffer.alloc(100 * 2 ** 20, ' ')).toString('base64');
  expect(bomb.length).toBeLessThan(300_000);
  expect(() => unpacked([bomb])).toThrow(expect.objectContaining({ code: 'ERR_BUFFER_TOO_LARGE' }));
  const { moreParts } = EmailMessages.schema.entries;
  expect([100, 1e8, 0.5, -1].map((parts) => v.is(moreParts, parts))).toEqual([true, false, false, false]);
});
