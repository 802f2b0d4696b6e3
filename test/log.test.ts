import { expect, test } from 'vitest';
import { Contacts } from '#lib/entities/contact.ts';
import { world } from '#test/harness.ts';
import { breakRow } from '#test/table/break-row.ts';
import { newWorkspace } from '#test/workspace.ts';

test('the log names an unreadable row without its contents', async () => {
  const workspace = await newWorkspace();
  const secret = { name: 'Markname', notes: 'marknotes', email: 'markaddress@example.com' };
  const { id } = (await workspace.live.post('/v1/contacts', secret)).body;
  await breakRow({ workspaceId: workspace.id, env: 'live' }, Contacts, { id }, 'leadScore');
  const { status, headers } = await workspace.live.get(`/v1/contacts/${id}`);
  expect(status).toBe(500);
  const logged = world()?.logged ?? [];
  const line = logged.find((one) => one.includes(String(headers['x-request-id'])));
  expect(line).toContain('it does not fit its declaration');
  expect(logged.join()).not.toMatch(/Markname|marknotes|markaddress/);
});
