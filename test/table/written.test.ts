import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { today, tryAdd } from '#lib/table/daily.ts';
import { eventually } from '#test/client.ts';
import { newWorkspace } from '#test/workspace.ts';

const maxBytes = 50 * 2 ** 30;
const usedUp = { status: 429, body: { error: 'rate_limited', details: { reason: 'daily_quota' } } };

test('an environment writes 50 GiB a day at most, by whatever call, and what follows from a call counts', async () => {
  const { id, live, test: sandbox } = await newWorkspace();
  const tenant = { workspaceId: id, env: 'live' } as const;
  const written = () => tryAdd(tenant, 'written', today(), 0, -1);
  const { body: contact } = await live.post('/v1/contacts', { name: 'Ann' });
  const write = (step: number) =>
    live.put(`/v1/contacts/${contact.id}/metadata`, {
      metadata: Object.fromEntries(
        Array.from({ length: 40 }, (_, index) => [`key${index}`, `${step}`.padEnd(480, 'x')]),
      ),
    });
  let step = 0;
  // A process counts what it has written once it is a quarter of a megabyte.
  await eventually(async () => {
    step += 1;
    expect((await write(step)).status).toBe(200);
    return ((await written()) ?? 0) > 0;
  }, 'a process to count');
  expect(await written()).toBeGreaterThan(2 ** 18);
  expect(await written()).toBeLessThan(3 * step * 60_000);
  await tryAdd(tenant, 'written', today(), maxBytes, Number.MAX_SAFE_INTEGER);
  const refused = await eventually(async () => {
    step += 1;
    const answer = await write(step);
    return answer.status !== 200 && answer;
  }, 'a refusal');
  expect(refused).toMatchObject(usedUp);
  expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(86_400);
  expect((await live.get(`/v1/contacts/${contact.id}`)).status).toBe(200);
  expect((await sandbox.post('/v1/contacts', { name: 'Bob' })).status).toBe(201);
});

test('an answer that is kept under an Idempotency-Key counts, though nothing has changed', async () => {
  const { id, live } = await newWorkspace();
  // Farther apart than what packs texts looks back.
  const notes = Array.from({ length: 10_000 }, () => String.fromCodePoint(0x20000 + randomInt(0xa000))).join('');
  const { body: contact } = await live.post('/v1/contacts', { name: 'Ann', notes });
  const items = Array.from({ length: 100 }, () => ({ op: 'update', id: contact.id, name: 'Ann' }));
  const { body } = await live.post('/v1/contacts/batch', { items }, { 'idempotency-key': 'kept' });
  expect(body.succeeded).toBe(100);
  expect(await tryAdd({ workspaceId: id, env: 'live' }, 'written', today(), 0, -1)).toBeGreaterThan(1_000_000);
});
