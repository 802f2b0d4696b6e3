import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { createDemo } from '#infra/local/demo.ts';
import type { Row } from '#lib/table/rows.ts';
import { scanned } from '#lib/table/scan.ts';
import { api } from '#test/client.ts';
import { settle } from '#test/harness.ts';

/** Writes the rows of a workspace as this release writes them: the demo, with a webhook, metadata, and a merge. */
export async function record(file: string): Promise<void> {
  const { workspaceId, liveKey } = await createDemo();
  const live = api(liveKey);
  await live.post('/v1/webhooks', { url: 'https://receiver.example/hook', eventKinds: ['contact.created'] }, 201);
  await live.put('/v1/contacts/1/metadata', { metadata: { plan: 'gold' } }, 200);
  await live.put('/v1/deals/1/metadata', { metadata: { source: 'fair' } }, 200);
  const further = { kind: 'email', value: 'Ann@home.example', label: 'home' };
  await live.post('/v1/contacts/1/addresses', further, 201);
  const { id } = (await live.post('/v1/contacts', { name: 'Ann Archer again', phone: '+49 170 1234567' }, 201)).body;
  await live.post('/v1/contacts/1/merge', { sourceContactId: id }, 200);
  await settle();
  const rows: Row[] = [];
  for await (const row of scanned({ ConsistentRead: true })) if (isOf(workspaceId, row)) rows.push(row);
  writeFileSync(file, gzipSync(`${rows.map((row) => JSON.stringify(row)).join('\n')}\n`));
}

const isOf = (workspaceId: number, { pk, sk, ...row }: Row): boolean =>
  new RegExp(`^${workspaceId}([:#]|$)`).test(pk) ||
  row['workspaceId'] === workspaceId ||
  (/^(DUE|MEMBER|WORKSPACES)/.test(pk) &&
    [sk, row['tenant'], JSON.stringify(row)].some((text) => new RegExp(`\\b${workspaceId}\\b`).test(String(text))));
