import type { CrmClient } from '#client/index.ts';
import { wait } from '#client/retries.ts';
import { must } from './steps.ts';

const erasureTimeoutMs = 120_000;

/**
 * Takes away what a walk has made, whatever of it was: each is found by the mark in its name, also where the answer to its making was
 * lost. Contacts are erased, with their notes, messages and events; deals and tasks, which the API keeps, are closed.
 */
export const cleanUps = (crm: CrmClient, mark: string): readonly [name: string, work: () => Promise<void>][] => [
  [
    'finish tasks',
    async () => {
      for await (const { id, status } of crm.list('/v1/tasks', { params: { query: { q: mark } } }))
        if (status !== 'Done')
          await crm.post('/v1/tasks/{id}/status', { params: { path: { id } }, body: { status: 'done' } });
    },
  ],
  [
    'close deals',
    async () => {
      for await (const { id, closedAt } of crm.list('/v1/deals', { params: { query: { q: mark } } }))
        if (closedAt === null)
          await crm.post('/v1/deals/{id}/stage', { params: { path: { id } }, body: { stage: 'lost' } });
    },
  ],
  [
    'delete tags',
    async () => {
      const { items } = await crm.get('/v1/tags');
      for (const { id, name } of items)
        if (name === mark) await crm.delete('/v1/tags/{id}', { params: { path: { id } } });
    },
  ],
  [
    'erase contacts',
    async () => {
      for await (const { id } of crm.list('/v1/contacts', { params: { query: { q: mark } } })) await erase(crm, id);
    },
  ],
];

async function erase(crm: CrmClient, id: number): Promise<void> {
  const signal = AbortSignal.timeout(erasureTimeoutMs);
  const erasure = await crm.post('/v1/contacts/{id}/erasure', {
    params: { path: { id } },
    body: { confirm: String(id) },
  });
  for (let { status } = erasure; status !== 'completed'; ) {
    must(!signal.aborted, `the erasure ${erasure.id} of contact ${id} is ${status} after ${erasureTimeoutMs / 1000} s`);
    await wait(500);
    ({ status } = await crm.get('/v1/erasures/{id}', { params: { path: { id: erasure.id } } }));
  }
}
