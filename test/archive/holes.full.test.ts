import { expect, test } from 'vitest';
import { dayMs, shifted } from '#lib/clock.ts';
import { entities } from '#lib/entities/all.ts';
import { Feed } from '#lib/entities/feed-event.ts';
import { readFeed } from '#lib/feed/feed.ts';
import { type Entity, keyOf } from '#lib/table/entity.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { operator } from '#lib/tenant.ts';
import { between } from '#test/between.ts';
import { clientOf, rowOf, taken } from './handmade.ts';

const named = (name: string) => rowOf(entities.find((of) => of.name === name) as Entity);

function event(sequence: number, timestamp = shifted(new Date(), -dayMs)) {
  const row = named('event');
  const body = JSON.stringify({ ...JSON.parse(String(row['body'])), sequence, timestamp });
  return { ...row, sequence, timestamp, body, sk: keyOf({ workspaceId: 0, env: 'live' }, Feed, { sequence }).sk };
}

const sequences = Array.from({ length: 90 }, (_, index) => 1 + 3 * index);

test('a feed of holes, as a file may say it is, is read to its end, by few reads at a time', async () => {
  const workspaceId = await taken([named('workspace'), ...sequences.map((sequence) => event(sequence))]);
  let reads = 0;
  const tx = new UnitOfWork({ workspaceId, env: 'live' }, operator);
  const { items, hasMore } = await between(
    (_, next) => {
      reads += 1;
      return next();
    },
    () => readFeed(tx, 0, 100),
  );
  expect([items.length < 30, hasMore, reads < 80]).toEqual([true, true, true]);
  const live = await clientOf(workspaceId);
  const found: number[] = [];
  for (let since = 0; ; ) {
    const { body } = await live.get('/v1/events', { since, limit: 100 });
    found.push(...body.items.map((one: { sequence: number }) => one.sequence));
    if (!body.hasMore) break;
    since = body.nextCursor;
  }
  expect(found.slice(0, sequences.length)).toEqual(sequences);
});

test('a hole before an event of times to come stops nobody', async () => {
  const workspaceId = await taken([named('workspace'), event(1), event(3, shifted(new Date(), 20 * dayMs))]);
  const { body } = await (await clientOf(workspaceId)).get('/v1/events', { since: 0 });
  expect(body.items.slice(0, 2)).toMatchObject([{ sequence: 1 }, { sequence: 3 }]);
});
