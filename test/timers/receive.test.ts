import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { loadWorkers } from '#infra/functions.ts';
import { type Message, receive, receiveGroups } from '#lib/queues/receive.ts';

/** A batch of these bodies; each message is called by its body. */
const batch = (...bodies: string[]): SQSEvent => ({
  Records: bodies.map((body) => ({ messageId: body, body }) as SQSEvent['Records'][number]),
});
const messages = (...bodies: string[]): Message[] => bodies.map((body) => ({ id: body, body }));

const garbage = ['', 'not JSON', '7', 'null', '[]', '{}', '{"tenant":"nobody"}', '{"tenant":"0:live"}', '{"tenant":5}'];

const ofQueues = (await loadWorkers()).filter(({ worker }) => 'queue' in worker.trigger);

test.each(ofQueues)('$name returns each unreadable message to its queue separately', async ({ file }) => {
  const { handler } = await import(file);
  const { batchItemFailures }: SQSBatchResponse = await handler(batch(...garbage));
  expect(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier).sort()).toEqual([...garbage].sort());
});

test('the others of a batch are done, and only what failed comes again', async () => {
  const done: number[] = [];
  const good = (id: number) => JSON.stringify({ tenant: '7:live', id });
  const failed = await receive(
    messages(good(1), 'not JSON', good(2), good(3)),
    { id: v.number() },
    async (tenant, { id }) => {
      expect(tenant).toEqual({ workspaceId: 7, env: 'live' });
      if (id === 2) throw new Error('two');
      done.push(id);
    },
  );
  expect(done).toEqual([1, 3]);
  expect(failed.map(({ id }) => id).sort()).toEqual([good(2), 'not JSON'].sort());
});

test('messages of one piece of work are handled and fail together, but for those that the work names', async () => {
  const signal = (tenant: string, account: number, job: number) => JSON.stringify({ tenant, account, job });
  const bodies = [
    signal('7:live', 1, 1),
    signal('7:live', 1, 2),
    signal('7:test', 1, 3),
    signal('7:live', 2, 4),
    signal('7:live', 2, 5),
  ];
  const seen: number[][] = [];
  const failed = await receiveGroups(
    messages(...bodies),
    { account: v.number(), job: v.number() },
    ({ account }) => account,
    async (signals) => {
      seen.push(signals.map(({ job }) => job));
      if (signals[0].job === 1) throw new Error('all of them');
      return signals.filter(({ job }) => job === 5);
    },
  );
  expect(seen).toEqual([[1, 2], [3], [4, 5]]);
  expect(failed.map(({ id }) => id).sort()).toEqual([bodies[0], bodies[1], bodies[4]].sort());
});
