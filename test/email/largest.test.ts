import { gzipSync } from 'node:zlib';
import * as v from 'valibot';
import { beforeAll, expect, test } from 'vitest';
import { unpackBody } from '#lib/email/body.ts';
import { EmailMessages } from '#lib/entities/email-message.ts';
import { eventually } from '#test/client.ts';
import { type Script, storesWhole } from '#test/email/largest.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

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

/** Any two of them are tried by night. */
const mails: [names: Script, text: Script, html: Script][] = [
  ['astral', 'han', 'han'],
  ['quotes', 'ascii', 'astral'],
  ['ascii', 'quotes', 'none'],
];

test.each(mails)('a mail with the most of everything is stored whole: names %s, text %s, HTML %s', async (...of) =>
  storesWhole(workspace, ...of),
);

test('the size that a row claims for its body is bounded', () => {
  const bomb = gzipSync(Buffer.alloc(100 * 2 ** 20, ' ')).toString('base64');
  expect(bomb.length).toBeLessThan(300_000);
  expect(() => unpackBody([bomb])).toThrow(expect.objectContaining({ code: 'ERR_BUFFER_TOO_LARGE' }));
  const { moreParts } = EmailMessages.schema.entries;
  expect([100, 1e8, 0.5, -1].map((parts) => v.is(moreParts, parts))).toEqual([true, false, false, false]);
});
