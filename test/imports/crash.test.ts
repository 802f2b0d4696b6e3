import { expect, test, vi } from 'vitest';
import { minuteMs, now } from '#lib/core/clock.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { Imports } from '#lib/entities/import.ts';
import { beginRun } from '#lib/imports/run.ts';
import { workOnImport } from '#lib/imports/work.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { type Client, everyItem } from '#test/client.ts';
import { dyingAfter } from '#test/crash.ts';
import { settle, world } from '#test/harness.ts';
import { newWorkspace } from '#test/workspace.ts';
import { errorsOf, uploadedSheet } from './importing.ts';

async function newTenant(): Promise<{ live: Client; tenant: Tenant }> {
  const { live, id: workspaceId } = await newWorkspace();
  return { live, tenant: { workspaceId, env: 'live' } };
}

/** People of whom some come twice, and some cannot be taken in. */
const rows = Array.from({ length: 24 }, (_, index) => {
  if (index % 8 === 7) return ',nobody';
  return `Person ${index % 20},p${index % 20}@example.org`;
});
const file = ['Name,Mail', ...rows].join('\n');
const input = { object: 'contacts', mapping: { Name: 'name', Mail: 'email' }, matchOn: 'email', onConflict: 'update' };
const begin = async (client: Client) =>
  (await client.post('/v1/imports', { ...input, fileId: await uploadedSheet(client, file) }, 202)).body.id as number;
const people = async (client: Client) =>
  (await everyItem(client, '/v1/contacts'))
    .map(({ name, email }) => ({ name, email }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));

/** In three writes no group of rows is taken in, in six some are. */
test.each([
  [3, 4],
  [6, 0],
])('an import whose worker dies after %i writes does what one without a crash does', async (writes, fewestDeaths) => {
  const { live: calm } = await newTenant();
  const { live, tenant } = await newTenant();
  const calmId = await begin(calm);
  await settle();
  const { body: whole } = await calm.get(`/v1/imports/${calmId}`);
  const errors = await errorsOf(whole);
  const id = await begin(live);
  let deaths = 0;
  const work = () =>
    workOnImport(tenant, id).catch((error: Error) => {
      if (!error.message.includes('the process is dead')) throw error;
    });
  while (!(await dyingAfter(writes, work))) {
    deaths += 1;
    expect(deaths).toBeLessThan(60);
    // Its lease ends, and nobody else takes it.
    world()?.clock.moveTo(now() + 4 * minuteMs);
  }
  await settle();
  const { body: ended } = await live.get(`/v1/imports/${id}`);
  const countsOf = ({ total, processed, created, updated, skipped, failed }: typeof ended) => ({
    ...{ total, processed, created, updated, skipped, failed },
  });
  expect(ended.status).toBe('completed');
  expect(countsOf(ended)).toEqual(countsOf(whole));
  expect(deaths).toBeGreaterThan(fewestDeaths);
  expect(await people(live)).toEqual(await people(calm));
  expect(await errorsOf(ended)).toBe(errors);
});

test('a run renews its lease while a row takes long', async () => {
  const { live, tenant } = await newTenant();
  const id = await begin(live);
  const run = await beginRun(tenant, id);
  const leasedUntil = async () => (await UnitOfWork.forAnswer(tenant, system).find(Imports, { id }))?.leasedUntil;
  const letGo = run?.keep();
  for (let minutes = 0; minutes < 4; minutes += 1) {
    const before = await leasedUntil();
    world()?.clock.moveTo(now() + minuteMs + 1);
    await vi.waitFor(async () => expect(await leasedUntil()).not.toBe(before), { timeout: 10_000 });
  }
  expect(await beginRun(tenant, id)).toBeUndefined();
  letGo?.();
  await run?.release();
  await settle();
  expect((await live.get(`/v1/imports/${id}`)).body).toMatchObject({ status: 'completed' });
});
