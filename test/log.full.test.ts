import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Contacts } from '#lib/entities/contact.ts';
import { eventually } from '#test/client.ts';
import { place } from '#test/place.ts';
import { breakRow } from '#test/table/break-row.ts';
import { newWorkspace } from '#test/workspace.ts';

/** What the functions have logged until now. */
async function logged(): Promise<string> {
  const folder = join(place('dataDir'), 'logs');
  return (await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')))).join('');
}

test('of a row that cannot be read the log says which it is, and nothing of what it holds', async () => {
  const workspace = await newWorkspace();
  const secret = { name: 'Markname', notes: 'marknotes', email: 'markaddress@example.com' };
  const { id } = (await workspace.live.post('/v1/contacts', secret)).body;
  await breakRow({ workspaceId: workspace.id, env: 'live' }, Contacts, { id }, 'leadScore');
  const { status, headers } = await workspace.live.get(`/v1/contacts/${id}`);
  expect(status).toBe(500);
  const line = await eventually(
    async () => (await logged()).split('\n').find((one) => one.includes(String(headers['x-request-id']))),
    'the line of the log',
  );
  expect(line).toContain('it does not fit its declaration');
  expect(await logged()).not.toMatch(/Markname|marknotes|markaddress/);
});
