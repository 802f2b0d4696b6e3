import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type ArchivedRow, archived } from '#infra/admin/archive/archive.ts';
import { operator } from '#lib/core/tenant.ts';
import { entities } from '#lib/entities/all.ts';
import { Deals } from '#lib/entities/deal.ts';
import { Invoices } from '#lib/entities/invoice.ts';
import { createJob } from '#lib/messages/jobs/store.ts';
import { transact } from '#lib/table/transact.ts';
import document from '#openapi' with { type: 'json' };
import type { Client } from '#test/client.ts';
import { clientOf, rowOf, taken } from './handmade.ts';

/** As an export of workspace 1 has them. */
const all = entities.flatMap((of) => {
  const row = rowOf(of);
  return archived(1, { ...row, pk: `1${row.pk}` }) ?? [];
});

test('a workspace with one row of every entity answers every reading call', async () => {
  const id = await taken(all);
  const paths = Object.entries(document.paths).flatMap(([path, operations]) =>
    'get' in operations && path.startsWith('/v1/') ? [path.replaceAll(/\{\w+\}/g, '1')] : [],
  );
  const answer = async (client: Client, path: string) => ({ path, status: (await client.get(path)).status });
  for (const env of ['live', 'test'] as const) {
    const client = await clientOf(id, env);
    const answers = [];
    for (const path of paths) answers.push(await answer(client, path));
    expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    if (env === 'live') expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(40);
  }
});

test('rows that name a contact who is not there can be paid, worked on, and answered', async () => {
  const named = new Map<string, object>([
    [`:live#${Deals.name}`, { contactId: 7 }],
    [`:live#${Invoices.name}`, { contactId: 7, status: 'sent' }],
  ]);
  const workspaceId = await taken(all.map((row) => ({ ...row, ...named.get(row.pk) })));
  const client = await clientOf(workspaceId);
  await client.post('/v1/finance/invoices/1/paid', {}, 200);
  const task = await client.post('/v1/tasks', { title: 'Call', dealId: 1 }, 201);
  expect(task.body).toMatchObject({ contactId: null });
  const mail = { channel: 'email', accountId: null, contactId: 7, recipient: 'ann@example.com', text: 'Hi' } as const;
  const job = await transact({ workspaceId, env: 'live' }, operator, (tx) => createJob(tx, { ...mail, source: 'api' }));
  expect(job.contactId).toBeNull();
});

test('a mail that is longer unpacked than any mail is shown as one that cannot be read', async () => {
  const packed = (bodyText: string) => gzipSync(JSON.stringify({ bodyText, bodyHtml: null })).toString('base64');
  const isOfMail = ({ pk }: ArchivedRow) => pk === ':live#email-thread/1/message';
  const rows = all
    .filter(({ pk }) => !pk.endsWith('/body'))
    .map((row) => (isOfMail(row) ? { ...row, body: packed('a'.repeat(3_000_000)), moreParts: 0 } : row));
  const client = await clientOf(await taken(rows));
  const { body } = await client.get('/v1/email/threads/1/messages', {}, 200);
  expect(body.items).toMatchObject([{ bodyText: '[The text of this mail cannot be read.]' }]);
});
