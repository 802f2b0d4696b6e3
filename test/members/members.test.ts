import { expect, test } from 'vitest';
import { commands } from '#infra/admin/commands/member.ts';
import { operator } from '#lib/core/tenant.ts';
import { Members } from '#lib/entities/member.ts';
import { transact } from '#lib/table/transact.ts';
import { everyItem } from '#test/client.ts';
import { newWorkspace } from '#test/workspace.ts';

test('members are listed newest first, found by name and e-mail, and shared by both environments', async () => {
  const workspace = await newWorkspace();
  const { id } = (await commands.create.run({
    workspaceId: workspace.id,
    email: 'Grace@navy.mil',
    name: 'Grace Hopper',
    role: 'admin',
  })) as { id: number };
  await transact({ workspaceId: workspace.id, env: 'live' }, operator, async (tx) => {
    tx.update(Members, { ...(await tx.get(Members, { id })), isActive: false });
  });
  const grace = {
    id,
    email: 'Grace@navy.mil',
    name: 'Grace Hopper',
    role: 'admin',
    isActive: false,
    createdAt: expect.stringMatching(/Z$/),
  };
  const idsOf = async (query: Record<string, string | number>) =>
    (await everyItem(workspace.live, '/v1/members', query)).map((member) => member.id);
  expect((await workspace.live.get(`/v1/members/${id}`)).body).toEqual(grace);
  expect((await workspace.test.get(`/v1/members/${id}`)).body).toEqual(grace);
  expect(await idsOf({ limit: 1 })).toEqual([id, workspace.memberId]);
  expect(await idsOf({ q: 'HOPPER' })).toEqual([id]);
  expect(await idsOf({ q: 'example.com' })).toEqual([workspace.memberId]);
  expect(await idsOf({ isActive: 'true' })).toEqual([workspace.memberId]);
  await workspace.live.get('/v1/members/999999', undefined, 404);
  await workspace.live.get('/v1/members', { isActive: 'maybe' }, 400);
});

test('nothing is assigned to an inactive member', async () => {
  const workspace = await newWorkspace();
  await transact({ workspaceId: workspace.id, env: 'live' }, operator, async (tx) => {
    tx.update(Members, { ...(await tx.get(Members, { id: workspace.memberId })), isActive: false });
  });
  const { id } = (await workspace.live.post('/v1/contacts', { name: 'Ada' })).body;
  const { status, body } = await workspace.live.post(`/v1/contacts/${id}/assignee`, { userId: workspace.memberId });
  expect([status, body.details.fields[0].code]).toEqual([400, 'unknown_reference']);
});
