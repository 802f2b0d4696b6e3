import { randomFillSync } from 'node:crypto';
import { expect } from 'vitest';
import { commands } from '#infra/admin/commands/email.ts';
import { parseMail } from '#lib/email/mail.ts';
import { trusted } from '#test/email/raw.ts';
import type { TestWorkspace } from '#test/workspace.ts';

/** Texts that hardly grow shorter by being packed, from so many characters of a script. */
const lettersOf = (first: number, count: number) => (length: number) =>
  String.fromCodePoint(...randomFillSync(new Uint32Array(length)).map((random) => first + (random % count)));
export const scripts = {
  none: () => '',
  quotes: (length: number) => '"\\'.repeat(length / 2),
  ascii: lettersOf(0x3f, 60),
  han: lettersOf(0x4e00, 20_000),
  astral: lettersOf(0x20000, 40_000),
};
export type Script = keyof typeof scripts;
const base64 = (text: string) => Buffer.from(text).toString('base64').replaceAll(/.{76}/g, '$&\r\n');
const words = (text: string) => `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`;
const long = (script: Script, units: number) => {
  const letters = [];
  for (let left = units; left > 0; left -= 10_000) letters.push(scripts[script](Math.min(left, 10_000)));
  return letters.join('');
};

/** A mail with the most of everything that is kept, in these scripts. */
function largestMail(names: Script, text: Script, html: Script): string {
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

export const bodies: [text: Script, html: Script][] = [
  ['quotes', 'none'],
  ['han', 'none'],
  ['astral', 'none'],
  ['none', 'han'],
  ['ascii', 'astral'],
  ['han', 'han'],
];

/** Receives it and expects the whole of it to be stored. */
export async function storesWhole(workspace: TestWorkspace, ...of: [names: Script, text: Script, html: Script]) {
  const raw = largestMail(...of);
  const { messageId: _, references, hasOneAuthor, isAutomatic, ses, sentAt, ...kept } = await parseMail(raw);
  const place = { workspaceId: workspace.id, env: 'live' as const, ...trusted };
  const { threadId } = await commands.receive.run({ ...place, raw });
  const [stored] = (await workspace.live.get(`/v1/email/threads/${threadId}/messages`)).body.items;
  expect(stored).toMatchObject(kept);
}
