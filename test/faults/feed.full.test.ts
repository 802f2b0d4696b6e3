import { expect, test } from 'vitest';
import { newWorkspace } from '#test/workspace.ts';

interface Fed {
  event: string;
  sequence: number;
  data: { contact_id: string };
}

const changes = 300;
const giveUpMs = 120_000;

test('a poller of the feed sees every one of 300 changes at once, in rising sequence and without a gap', async () => {
  const { live } = await newWorkspace();
  const first = (await live.get('/v1/events')).body.items.at(-1)?.sequence ?? 0;
  const seen: Fed[] = [];
  const poll = async () => {
    const deadline = Date.now() + giveUpMs;
    while (seen.filter(({ event }) => event === 'contact.created').length < changes && Date.now() < deadline) {
      const { body } = await live.get('/v1/events', { since: seen.at(-1)?.sequence ?? first, limit: 100 });
      seen.push(...body.items);
    }
  };
  const polling = poll();
  const answers = await Promise.all(
    Array.from({ length: changes }, (_, index) =>
      live.post('/v1/contacts', { platform: 'telegram', name: `Contact ${index}` }),
    ),
  );
  await polling;
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
  expect(seen.map(({ sequence }) => sequence)).toEqual(seen.map((_, index) => (seen[0]?.sequence as number) + index));
  const created = seen.filter(({ event }) => event === 'contact.created').map(({ data }) => Number(data.contact_id));
  expect(created.sort((a, b) => a - b)).toEqual(answers.map(({ body }) => body.id).sort((a, b) => a - b));
});
