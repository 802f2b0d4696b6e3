import { expect, test } from 'vitest';
import { verifyWebhook } from '#client/index.ts';
import { crm, started } from '#test/cli/process.ts';
import { eventually } from '#test/client.ts';
import { answers, startReceiver } from '#test/webhooks/receiver.ts';
import { newWorkspace } from '#test/workspace.ts';

const lines = (text: string) => text.split('\n').slice(0, -1);

async function withTasks(count: number) {
  const workspace = await newWorkspace();
  for (let n = 1; n <= count; n += 1) await workspace.live.post('/v1/tasks', { title: `task ${n}` });
  // The key and the tasks: what is young may be in the feed a moment later.
  const events = await eventually(async () => {
    const { items } = (await workspace.live.get('/v1/events', { limit: 100 })).body;
    return items.length === count + 1 && items;
  }, `${count} tasks in the feed`);
  return { ...workspace, events };
}

test('tail shows the last ones, those after a sequence, and chosen kinds', async () => {
  const { liveKey: key, events } = await withTasks(6);
  const shown = async (...args: string[]) => {
    const { code, stdout, stderr } = await crm(['events', 'tail', '--once', '--json', ...args], { key });
    expect([code, stderr]).toEqual([0, '']);
    return lines(stdout).map((line) => JSON.parse(line));
  };
  expect(await shown()).toEqual([]);
  expect(await shown('--last', '2')).toEqual(events.slice(-2));
  expect(await shown('--last', '99')).toEqual(events);
  expect(await shown('--since', String(events.at(-2).sequence))).toEqual(events.slice(-1));
  expect(await shown('--since', '99999')).toEqual([]);
  expect((await shown('--since', '0', '--events', 'key.*')).map(({ event }) => event)).toEqual(['key.created']);
});

test('tail continues until it is stopped', async () => {
  const { liveKey: key, live } = await withTasks(1);
  await using tail = started(['events', 'tail', '--last', '1'], { key });
  await tail.says('"title":"task 1"');
  await live.post('/v1/tasks', { title: 'later' });
  await tail.says('"title":"later"');
  expect(await tail.interrupt()).toMatchObject({ code: 0, stderr: '' });
});

test('tail ends with whoever reads it', async () => {
  const { liveKey: key, live } = await withTasks(1);
  await using tail = started(['events', 'tail', '--last', '1'], { key });
  await tail.says('task 1');
  tail.child.stdout.destroy();
  await live.post('/v1/tasks', { title: 'unread' });
  expect((await tail.end).code).toBe(0);
});

test.each<[string, string[], RegExp]>([
  ['two beginnings', ['--last', '1', '--since', '1'], /^use either --last or --since/],
  ['a number that is none', ['--last', 'x'], /^--last takes a number\n$/],
  ['an unknown kind', ['--events', 'x'], /^"x" is not an event kind/],
])('tail does not understand %s', async (_, args, said) => {
  const { liveKey: key } = await newWorkspace();
  const { code, stdout, stderr } = await crm(['events', 'tail', ...args], { key });
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(said)]);
});

test('resend posts an event from here, by its sequence or its id', async () => {
  const { liveKey: key, events } = await withTasks(3);
  const [, one, other] = events;
  await using receiver = await startReceiver(answers(200, 'thanks'));
  const secret = (await crm(['listen', '--print-secret'], { key })).stdout.trim();
  for (const given of [String(one.sequence), other.id]) {
    const { code, stdout } = await crm(['events', 'resend', given, '--forward-to', receiver.url], { key });
    expect([code, stdout]).toEqual([0, expect.stringMatching(/200 in \d+ ms from .*: thanks\n$/)]);
  }
  expect(receiver.received.map(({ body }) => body)).toEqual([one, other]);
  for (const { text, headers } of receiver.received) verifyWebhook(text, headers, secret);
  receiver.answer(answers(500));
  const failed = await crm(['events', 'resend', one.id, '--forward-to', receiver.url], { key });
  expect([failed.code, failed.stderr]).toEqual([1, `${receiver.url}/ did not accept the delivery\n`]);
});

test('resend has the API replay a delivery, and says what came of it', async () => {
  const { live, liveKey: key } = await newWorkspace();
  await using receiver = await startReceiver();
  const { body: endpoint } = await live.post('/v1/webhooks', { url: receiver.url, eventKinds: ['task.created'] });
  await live.post('/v1/tasks', { title: 'again' });
  await live.post('/v1/deals', { title: 'never delivered' });
  await eventually(
    async () => (await live.get(`/v1/webhooks/${endpoint.id}/deliveries`, { status: 'succeeded' })).body.items.length,
    'the delivery',
  );
  const events = await eventually(async () => {
    const { items } = (await live.get('/v1/events')).body;
    return items.length === 3 && items;
  }, 'the deal in the feed');
  const resend = (kind: string) => {
    const { id } = events.find(({ event }: { event: string }) => event === kind);
    return crm(['events', 'resend', id, '--endpoint', String(endpoint.id)], { key });
  };
  const { code, stdout } = await resend('task.created');
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^delivery 2 of endpoint 1: succeeded \(200 in \d+ ms\)\n$/),
  ]);
  expect(receiver.received).toHaveLength(2);
  expect(receiver.received[1]?.headers).toHaveProperty('x-svc-replay-of');
  const missing = await resend('deal.created');
  expect([missing.code, missing.stderr]).toEqual([
    1,
    expect.stringMatching(/^endpoint 1 has no finished delivery of evt_/),
  ]);
});

test.each<[string, string[], number, RegExp]>([
  ['no event', ['--endpoint', '1'], 2, /^<sequence or id> is missing\n$/],
  ['nowhere to send it', ['1'], 2, /^name the target with --endpoint ID or --forward-to URL\n$/],
  [
    'an endpoint that is no number',
    ['1', '--endpoint', 'x'],
    2,
    /^--endpoint takes the id of an endpoint, a number\n$/,
  ],
  [
    'a sequence that is not there',
    ['999', '--endpoint', '1'],
    1,
    /^event 999 is not in the feed, which keeps 30 days\n$/,
  ],
  [
    'an id that is not there',
    ['evt_x', '--endpoint', '1'],
    1,
    /^event evt_x is not in the feed, which keeps 30 days\n$/,
  ],
  ['an endpoint that is not there', ['1', '--endpoint', '9'], 1, /^404 not_found: /],
])('resend refuses %s', async (_, args, expected, said) => {
  const { liveKey: key } = await newWorkspace();
  const { code, stdout, stderr } = await crm(['events', 'resend', ...args], { key });
  expect([code, stdout, stderr]).toEqual([expected, '', expect.stringMatching(said)]);
});
