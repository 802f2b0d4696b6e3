import { beforeAll, expect, test } from 'vitest';
import { operator } from '#lib/core/tenant.ts';
import { transact } from '#lib/table/transact.ts';
import { patchMember } from '#lib/workspaces/members.ts';
import { eventsAbout } from '#test/feed.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let live: TestWorkspace['live'];
let owner: number;
let id: number;
let unowned: number;

beforeAll(async () => {
  workspace = await newWorkspace();
  ({ live, memberId: owner } = workspace);
  id = (await live.post('/v1/deals', { title: 'Owned', assignedToUserId: owner })).body.id;
  unowned = (await live.post('/v1/deals', { title: 'Unowned' })).body.id;
});

const ownerOf = async (of: number): Promise<number | null> =>
  (await live.get(`/v1/deals/${of}`, { include: 'owner' })).body.owner.assignedToUserId;

test('a deal has owner only when include names it', async () => {
  for (const path of [`/v1/deals/${id}`, '/v1/deals']) {
    const dealOf = ({ body }: Awaited<ReturnType<typeof live.get>>): object =>
      body.items?.find((one: { id: number }) => one.id === id) ?? body;
    const plain = dealOf(await live.get(path));
    expect(plain).not.toHaveProperty('owner');
    expect(plain).not.toHaveProperty('assignedToUserId');
    expect(dealOf(await live.get(path, { include: 'owner' }))).toEqual({
      ...plain,
      owner: { assignedToUserId: owner },
    });
  }
  expect(await live.get('/v1/deals', { include: 'updatedAt' })).toMatchObject({
    status: 400,
    body: { details: { fields: [{ field: 'query.include', code: 'invalid_enum' }] } },
  });
});

test.each([
  ['POST', (): string => '/v1/deals', () => ({ title: 'New', assignedToUserId: owner })],
  ['PATCH', (): string => `/v1/deals/${id}`, () => ({ notes: 'again' })],
  ['POST', (): string => `/v1/deals/${id}/stage`, () => ({ stage: 'qualified' })],
  ['POST', (): string => `/v1/deals/${id}/assignee`, () => ({ userId: owner })],
] as const)('%s %s answers the owner when include names it', async (method, path, body) => {
  const send = method === 'POST' ? live.post : live.patch;
  expect((await send(`${path()}?include=owner`, body())).body).toMatchObject({ owner: { assignedToUserId: owner } });
});

test('deals are listed by their owner and by having none', async () => {
  const idsBy = async (assignedToUserId: number | string) =>
    (await live.get('/v1/deals', { assignedToUserId })).body.items.map((one: { id: number }) => one.id);
  expect(await idsBy(owner)).toContain(id);
  expect(await idsBy(owner)).not.toContain(unowned);
  expect(await idsBy('none')).toContain(unowned);
  expect(await idsBy('none')).not.toContain(id);
});

test('assigning a deal emits deal.updated once', async () => {
  const { id: deal } = (await live.post('/v1/deals', { title: 'Given' })).body;
  for (const userId of [owner, owner, null]) await live.post(`/v1/deals/${deal}/assignee`, { userId });
  const events = (await eventsAbout(workspace.id, `deal/${deal}`, 3)).slice(1);
  const change = (from: string | null, to: string | null) => ({
    event: 'deal.updated',
    data: expect.objectContaining({
      changed: ['assigned_to_user_id'],
      changes: { assigned_to_user_id: { from, to } },
    }),
  });
  expect(events).toEqual([change(null, String(owner)), change(String(owner), null)]);
});

test('an owner is an active member, and leaving keeps the deals', async () => {
  const tenant = { workspaceId: workspace.id, env: 'live' } as const;
  const { id: deal } = (await live.post('/v1/deals', { title: 'Kept', assignedToUserId: owner })).body;
  await transact(tenant, operator, (tx) => patchMember(tx, owner, { isActive: false }));
  expect(await ownerOf(deal)).toBe(owner);
  const refused = (field: string) => ({
    status: 400,
    body: { details: { fields: [{ field, code: 'unknown_reference' }] } },
  });
  for (const userId of [owner, 999_999]) {
    const created = await live.post('/v1/deals', { title: 'No', assignedToUserId: userId });
    expect(created).toMatchObject(refused('assignedToUserId'));
    expect(await live.post(`/v1/deals/${unowned}/assignee`, { userId })).toMatchObject(refused('userId'));
  }
  await transact(tenant, operator, (tx) => patchMember(tx, owner, { isActive: true }));
});

test('the owner is changed by its own operation only', async () => {
  const refused = { field: 'assignedToUserId', code: 'not_allowed' };
  expect(await live.patch(`/v1/deals/${id}`, { assignedToUserId: null })).toMatchObject({
    status: 400,
    body: { details: { fields: [refused] } },
  });
  const batch = await live.post('/v1/deals/batch', { items: [{ op: 'update', id, assignedToUserId: null }] });
  expect(batch.body.results[0]).toMatchObject({
    status: 400,
    error: { details: { fields: [{ ...refused, field: 'items[0].assignedToUserId' }] } },
  });
});
