import { randomInt, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { commands as sequences } from '#infra/admin/commands/sequence.ts';
import { today, tryAdd } from '#lib/table/daily.ts';
import { countUnits, requireRoom } from '#lib/table/spending.ts';
import { eventually } from '#test/client.ts';
import { newWorkspace } from '#test/workspace.ts';

/** In read units: a written one is five. */
const maxUnits = 500_000_000;
const usedUp = { status: 429, body: { error: 'rate_limited', details: { reason: 'daily_quota' } } };

test('an environment takes 100 million write units a day at most, by whatever call, and what follows from a call counts', async () => {
  const { id, live, test: sandbox } = await newWorkspace();
  const tenant = { workspaceId: id, env: 'live' } as const;
  const written = () => tryAdd(tenant, 'written', today(), 0, -1);
  const { body: contact } = await live.post('/v1/contacts', { name: 'Ann' });
  const { body: hook } = await live.post('/v1/webhooks', {
    url: 'https://example.com/0',
    eventKinds: ['contact.created'],
  });
  const write = (step: number) =>
    live.put(`/v1/contacts/${contact.id}/metadata`, {
      metadata: Object.fromEntries(
        Array.from({ length: 40 }, (_, index) => [`key${index}`, `${step}`.padEnd(480, 'x')]),
      ),
    });
  let step = 0;
  // A process counts once it has taken 2,500 units.
  await eventually(async () => {
    step += 1;
    expect((await write(step)).status).toBe(200);
    return ((await written()) ?? 0) > 0;
  }, 'a process to count');
  expect(await written()).toBeGreaterThan(2_499);
  expect(await written()).toBeLessThan(step * 1_000);
  await tryAdd(tenant, 'written', today(), maxUnits, Number.MAX_SAFE_INTEGER);
  const refused = await eventually(async () => {
    step += 1;
    const answer = await write(step);
    return answer.status !== 200 && answer;
  }, 'a refusal');
  expect(refused).toMatchObject(usedUp);
  expect(refused.body.message).toMatch(/^the 100000000 write units of the table of today /);
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(86_400);
  await live.get(`/v1/contacts/${contact.id}`, undefined, 200);
  await sandbox.post('/v1/contacts', { name: 'Bob' }, 201);
  // Whoever has used it up can be stopped.
  const [key] = (await live.get('/v1/keys')).body.items;
  await live.patch(`/v1/keys/${key.id}`, { name: 'narrowed' }, 200);
  // What may also change more is done where it stops something, and nothing else.
  const path = `/v1/webhooks/${hook.id}`;
  const changed = await eventually(async () => {
    step += 1;
    const answer = await live.patch(path, { url: `https://example.com/${step}`, isActive: false });
    return answer.status !== 200 && answer;
  }, 'a refusal of what may be done again and again');
  expect(changed).toMatchObject(usedUp);
  expect((await live.patch(path, { isActive: false })).body).toMatchObject({ isActive: false });
  await live.post(`/v1/contacts/${contact.id}/erasure`, { confirm: String(contact.id) }, 202);
  await live.delete(`/v1/keys/${key.id}`, 200);
});

test('an answer that is kept under an Idempotency-Key counts, though nothing has changed', async () => {
  const { id, live } = await newWorkspace();
  // Farther apart than what packs texts looks back.
  const notes = Array.from({ length: 10_000 }, () => String.fromCodePoint(0x20000 + randomInt(0xa000))).join('');
  const { body: contact } = await live.post('/v1/contacts', { name: 'Ann', notes });
  const items = Array.from({ length: 60 }, () => ({ op: 'update', id: contact.id, name: 'Ann' }));
  const { body } = await live.post('/v1/contacts/batch', { items, atomic: true }, { 'idempotency-key': 'kept' });
  expect(body.succeeded).toBe(60);
  expect(await tryAdd({ workspaceId: id, env: 'live' }, 'written', today(), 0, -1)).toBeGreaterThan(2_500);
});

test('what a write meets without changing it counts, as the table has it', async () => {
  const { id, live } = await newWorkspace();
  const written = async () => (await tryAdd({ workspaceId: id, env: 'live' }, 'written', today(), 0, -1)) ?? 0;
  const { body: deal } = await live.post('/v1/deals', { title: 'Large', notes: 'x'.repeat(10_000) });
  const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`key${index}`, 'x'.repeat(500)]));
  await live.put(`/v1/deals/${deal.id}/metadata`, { metadata }, 200);
  const before = await written();
  const items = Array.from({ length: 50 }, () => ({ op: 'create', title: 'Task', dealId: deal.id }));
  expect((await live.post('/v1/tasks/batch', { items })).body.succeeded).toBe(50);
  // Of the deal, of 35 KB, each task changes a counter.
  expect((await written()) - before).toBeGreaterThan(50 * 2 * 35 * 5);
});

test('the steps of a sequence count for the day of whoever has begun them', async () => {
  const { id, live } = await newWorkspace();
  const tenant = { workspaceId: id, env: 'live' } as const;
  const { id: contactId } = (await live.post('/v1/contacts', { name: 'Ann', email: 'ann@example.com' })).body;
  const steps = Array.from({ length: 30 }, () => ({ delayMinutes: 0, text: 'x'.repeat(4_000) }));
  const sequence = await sequences.create.run({
    ...tenant,
    name: 'Steps',
    channel: 'email',
    accountId: null,
    status: 'active',
    steps,
  });
  await sequences.enroll.run({ ...tenant, id: sequence.id, contactId });
  await eventually(
    async () => (await live.get(`/v1/sequences/${sequence.id}`)).body.completedCount === 1,
    'its end',
    120_000,
  );
  // Each step meets the sequence.
  expect(await tryAdd(tenant, 'written', today(), 0, -1)).toBeGreaterThan(30 * 100 * 5);
}, 200_000);

test('rows that a list reads by their ids count, and so do those of a call that is refused', async () => {
  const { id, live } = await newWorkspace();
  const tenant = { workspaceId: id, env: 'live' } as const;
  const items = Array.from({ length: 60 }, (_, index) => ({
    op: 'create',
    name: `C${index}`,
    notes: 'x'.repeat(10_000),
  }));
  const { body } = await live.post('/v1/contacts/batch', { items });
  const ids: number[] = body.results.map(({ contact }: { contact: { id: number } }) => contact.id);
  const counted = (kind: string) => tryAdd(tenant, kind, today(), 0, -1);
  // Each is three units of 4 KB, and the answer holds none of them.
  await eventually(async () => {
    const asked = () => live.get('/v1/contacts', { ids: ids.join(','), q: 'nobody' });
    const lists = await Promise.all(Array.from({ length: 10 }, asked));
    expect(lists.map(({ body: page }) => page.items)).toEqual(lists.map(() => []));
    return ((await counted('read')) ?? 0) > 0;
  }, 'a process to count');
  const before = (await counted('written')) ?? 0;
  const refused = { items: ids.map((one) => ({ op: 'addTag', id: one, tagId: 999_999 })), atomic: true };
  await eventually(
    async () => {
      await live.post('/v1/contacts/batch', refused, 400);
      return ((await counted('written')) ?? 0) > before + 2_400;
    },
    'refusals to count',
    60_000,
  );
}, 120_000);

test('what is read of a resource for a call whose body is refused counts, and so does the entry of the refusal', async () => {
  const { id, live } = await newWorkspace();
  const tenant = { workspaceId: id, env: 'live' } as const;
  const { body: deal } = await live.post('/v1/deals', { title: 'Large', notes: '\u{20000}'.repeat(10_000) });
  const written = async () => (await tryAdd(tenant, 'written', today(), 0, -1)) ?? 0;
  const refused = () => Promise.all(Array.from({ length: 10 }, () => live.patch(`/v1/deals/${deal.id}`, { title: 5 })));
  let calls = 0;
  await eventually(
    async () => {
      expect((await refused()).map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 400));
      calls += 10;
      return (await written()) > 0;
    },
    'a process to count',
    60_000,
  );
  // Ten units of the deal, and seven written ones of the audit trail.
  expect(calls).toBeLessThan(1_000);
  await tryAdd(tenant, 'written', today(), maxUnits, Number.MAX_SAFE_INTEGER);
  const last = await eventually(async () => (await refused()).find(({ status }) => status !== 400), 'a 429', 60_000);
  expect(last).toMatchObject(usedUp);
}, 150_000);

test('what is answered again under an Idempotency-Key counts, with the row that it is kept in', async () => {
  const { id, live } = await newWorkspace();
  const notes = () => Array.from({ length: 10_000 }, () => String.fromCodePoint(0x20000 + randomInt(0xa000))).join('');
  const items = Array.from({ length: 20 }, (_, index) => ({ op: 'create', name: `C${index}`, notes: notes() }));
  const again = () => live.post('/v1/contacts/batch', { items }, { 'idempotency-key': 'again' });
  expect((await again()).body.succeeded).toBe(20);
  const counted = async (kind: string) => (await tryAdd({ workspaceId: id, env: 'live' }, kind, today(), 0, -1)) ?? 0;
  const before = await counted('written');
  await eventually(
    async () => {
      expect((await again()).headers['idempotency-replayed']).toBe('true');
      return (await counted('written')) > before + 10_000;
    },
    'replays to count',
    60_000,
  );
  await tryAdd({ workspaceId: id, env: 'live' }, 'written', today(), maxUnits, Number.MAX_SAFE_INTEGER);
  const anew = () => live.post('/v1/contacts/batch', { items: items.slice(0, 1) }, { 'idempotency-key': randomUUID() });
  const refused = await eventually(async () => [await anew()].find(({ status }) => status !== 200), 'a refusal');
  expect(refused).toMatchObject(usedUp);
  // A thousand times for each caller.
  expect((await again()).headers['idempotency-replayed']).toBe('true');
  const [{ keyId }] = (await live.get('/v1/keys', { env: 'live' })).body.items;
  await tryAdd({ workspaceId: id, env: 'live' }, `written by ${keyId}`, today(), 1_000, Number.MAX_SAFE_INTEGER);
  const last = await eventually(async () => [await again()].find(({ status }) => status !== 200), 'a refusal, too');
  expect(last).toMatchObject(usedUp);
}, 120_000);

test('what a write answers counts, also where it has changed nothing', async () => {
  const { id, live } = await newWorkspace();
  const { body: contact } = await live.post('/v1/contacts', { name: 'Ann', notes: '\u{20000}'.repeat(5_000) });
  const items = Array.from({ length: 100 }, () => ({ op: 'update', id: contact.id, name: 'Ann' }));
  for (let call = 0; call < 10; call += 1)
    expect((await live.post('/v1/contacts/batch', { items, atomic: true })).body.succeeded).toBe(100);
  // Two megabytes each.
  expect(await tryAdd({ workspaceId: id, env: 'live' }, 'written', today(), 0, -1)).toBeGreaterThan(8_000);
});

test('what is answered counts as reading it would, also of one resource', async () => {
  const { id, live } = await newWorkspace();
  const { body: deal } = await live.post('/v1/deals', { title: 'Large', notes: '\u{20000}'.repeat(10_000) });
  const read = () => tryAdd({ workspaceId: id, env: 'live' }, 'read', today(), 0, -1);
  let calls = 0;
  await eventually(async () => {
    await Promise.all(Array.from({ length: 10 }, () => live.get(`/v1/deals/${deal.id}`)));
    calls += 10;
    return ((await read()) ?? 0) > 0;
  }, 'a process to count');
  expect(await read()).toBeGreaterThanOrEqual(2_500);
  // The answer, and the row.
  expect(await read()).toBeLessThan(calls * (45_000 / 1_400 + 45_000 / 4_096));
});

test('lists, sums and the feed take 500 million read units a day at most', async () => {
  const { id, live, test: sandbox } = await newWorkspace();
  const tenant = { workspaceId: id, env: 'live' } as const;
  const items = Array.from({ length: 30 }, (_, index) => ({
    op: 'create',
    title: `Deal ${index}`,
    notes: 'x'.repeat(10_000),
  }));
  expect((await live.post('/v1/deals/batch', { items })).body.succeeded).toBe(30);
  const read = () => tryAdd(tenant, 'read', today(), 0, -1);
  const list = () => live.get('/v1/deals', { limit: 100, stage: 'lead' });
  // A process counts once it has taken 2,500 units.
  await eventually(async () => {
    await Promise.all(Array.from({ length: 10 }, list));
    return ((await read()) ?? 0) > 0;
  }, 'a process to count');
  await tryAdd(tenant, 'read', today(), 500_000_000, Number.MAX_SAFE_INTEGER);
  const refused = await eventually(async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, list));
    return answers.find(({ status }) => status !== 200);
  }, 'a refusal');
  expect(refused).toMatchObject(usedUp);
  const byId = await eventually(async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => live.get('/v1/deals/1')));
    return answers.find(({ status }) => status !== 200);
  }, 'a refusal of what reads little');
  expect(byId).toMatchObject(usedUp);
  await sandbox.get('/v1/deals', undefined, 200);
  // What shows whom to stop is shown.
  for (let call = 0; call < 10; call += 1) await live.get('/v1/keys', undefined, 200);
});

test('what stops something goes on a thousand times a day for each caller once the day is used up', async () => {
  const { id: workspaceId } = await newWorkspace();
  const tenant = { workspaceId, env: 'live' } as const;
  for (const kind of ['written', 'read'] as const) {
    await requireRoom(tenant, kind);
    await tryAdd(tenant, kind, today(), maxUnits + 1, Number.MAX_SAFE_INTEGER);
    await countUnits(tenant, kind, 2_500);
    const refused = { status: 429, details: { reason: 'daily_quota' } };
    await expect(requireRoom(tenant, kind)).rejects.toMatchObject(refused);
    for (let call = 0; call < 2; call += 1) await requireRoom(tenant, kind, 'k1');
    await tryAdd(tenant, `${kind} by k1`, today(), 997, Number.MAX_SAFE_INTEGER);
    await requireRoom(tenant, kind, 'k1');
    await expect(requireRoom(tenant, kind, 'k1')).rejects.toMatchObject(refused);
    await requireRoom(tenant, kind, 'member/7');
  }
});

test('the document of the API counts for whoever asks with a key', async () => {
  const { id, live } = await newWorkspace();
  const read = async () => (await tryAdd({ workspaceId: id, env: 'live' }, 'read', today(), 0, -1)) ?? 0;
  await eventually(async () => {
    await live.get('/openapi.json', undefined, 200);
    return (await read()) > 0;
  }, 'a process to count');
});
