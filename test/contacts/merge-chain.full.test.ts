import { beforeAll, expect, test } from 'vitest';
import { secondMs } from '#lib/core/clock.ts';
import { type Client, eventually, everyItem } from '#test/client.ts';
import { newWorkspace } from '#test/workspace.ts';

let live: Client;
beforeAll(async () => {
  live = (await newWorkspace()).live;
});

const newContact = async (name: string): Promise<number> => (await live.post('/v1/contacts', { name }, 201)).body.id;

async function fill(contactId: number): Promise<void> {
  for (let part = 0; part < 3; part += 1) {
    const create = (fields: object) => Array.from({ length: 80 }, () => ({ op: 'create', contactId, ...fields }));
    await live.post('/v1/tasks/batch', { items: create({ title: 'Task' }) }, 200);
    await live.post('/v1/deals/batch', { items: create({ title: 'Deal', value: 1 }) }, 200);
  }
  for (let note = 0; note < 20; note += 1)
    await live.post(`/v1/contacts/${contactId}/activities`, { text: `Note ${note}` }, 201);
}

/** The bound of the promise is five seconds; a busy machine may take longer. */
const boundMs = 15 * secondMs;

test.each([
  ['one merge', 1],
  ['two chained merges', 2],
  ['three chained merges', 3],
])('lists of the target show everything soon after %s under writes', async (_, merges) => {
  const ids: number[] = [];
  for (let index = 0; index <= merges; index += 1) ids.push(await newContact(`Contact ${index}`));
  const [first, last] = [ids[0] as number, ids.at(-1) as number];
  await fill(first);
  let isOver = false;
  let written = 240;
  const writing = Array.from({ length: 5 }, async () => {
    while (!isOver) {
      const { status } = await live.post('/v1/tasks', { title: 'Late', contactId: first });
      if (status === 201) written += 1;
      else return;
    }
  });
  const merging: Promise<{ status: number; endedAtMs: number }>[] = [];
  for (const [index, target] of ids.slice(1).entries()) {
    const sourceContactId = ids[index];
    const merged = live.post(`/v1/contacts/${target}/merge`, { sourceContactId });
    merging.push(merged.then(({ status }) => ({ status, endedAtMs: performance.now() })));
    // The next merge begins when this one is decided, while its rows still follow.
    await eventually(async () => (await live.get(`/v1/contacts/${sourceContactId}`)).status === 404, 'the merge');
  }
  const ended = await Promise.all(merging);
  isOver = true;
  await Promise.all(writing);
  expect(ended.map(({ status }) => status)).toEqual(ended.map(() => 200));
  const count = async (path: string) => (await everyItem(live, path, { contactId: last, limit: 100 })).length;
  const counts = await eventually(
    async () => {
      const found = { tasks: await count('/v1/tasks'), deals: await count('/v1/deals') };
      return found.tasks === written && found.deals === 240 && found;
    },
    'everything at the last target',
    60 * secondMs,
  );
  const waitedMs = performance.now() - Math.max(...ended.map(({ endedAtMs }) => endedAtMs));
  console.info(`${merges} merges: ${counts.tasks} tasks and ${counts.deals} deals after ${Math.round(waitedMs)} ms`);
  expect(waitedMs).toBeLessThan(boundMs);
});
