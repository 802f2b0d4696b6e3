import { expect, test } from 'vitest';
import { type Answer, eventually, everyItem } from '#test/client.ts';
import { newWorkspace } from '#test/workspace.ts';

test('a batch writes 10 MB at most, and what it leaves belongs into another', async () => {
  const { live } = await newWorkspace();
  const batch = (items: unknown[]) => live.post('/v1/contacts/batch', { items });
  const named = (q: string) => everyItem(live, '/v1/contacts', { q, limit: 100 });
  const wide = '\u{1f600}';
  const metadata = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`key${index}`, wide.repeat(500)]));
  const made = await Promise.all(
    [1, 2, 3, 4, 5].map((part) =>
      batch(
        Array.from({ length: 18 }, (_, index) => ({
          ...{ op: 'create', name: `Heavy ${part} ${index}`, notes: wide.repeat(10_000) },
        })),
      ),
    ),
  );
  const ids: number[] = made.flatMap(({ body }) => body.results.map(({ contact }: Answer['body']) => contact.id));
  for (const id of ids) await live.put(`/v1/contacts/${id}/metadata`, { metadata });
  const lifted = async () => (await named('Lifted')).length;
  const rename = (of: number[]) => of.map((id) => ({ op: 'update', id, name: `Lifted ${id}` }));

  const { status, body } = await batch(rename(ids));
  const left = body.results.filter((one: Answer['body']) => one.error);
  expect([status, body.succeeded + left.length, await lifted()]).toEqual([200, 90, body.succeeded]);
  expect(left[0]).toMatchObject({ status: 400, contact: null, error: { details: { reason: 'batch_too_large' } } });
  const rest = await batch(rename(left.map(({ index }: Answer['body']) => ids[index])));
  expect([rest.body.succeeded, await lifted()]).toEqual([left.length, 90]);
});

test('a batch counts the writes that follow from its items', async () => {
  const { live } = await newWorkspace();
  const { id } = (await live.post('/v1/contacts', { name: 'Named' })).body;
  const notes = '\u{1f600}'.repeat(10_000);
  const deals = Array.from({ length: 20 }, (_, index) => ({
    op: 'create',
    title: `Deal ${index}`,
    contactId: id,
    notes,
  }));
  expect((await live.post('/v1/deals/batch', { items: deals })).body.succeeded).toBe(20);
  const items = Array.from({ length: 20 }, (_, index) => ({ op: 'update', id, name: `Named ${index}` }));
  const { results, succeeded } = (await live.post('/v1/contacts/batch', { items })).body;
  expect(succeeded).toBeGreaterThan(5);
  expect(succeeded).toBeLessThan(20);
  expect(results.at(-1).error.details.reason).toBe('batch_too_large');
  // On a busy machine the worker shows the last names, after the answer.
  await eventually(async () => {
    const shown = await everyItem(live, '/v1/deals');
    return shown.every(({ contactName }) => contactName === `Named ${succeeded - 1}`);
  }, 'every deal shows the last name');
});
