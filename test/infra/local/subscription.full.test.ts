import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { startSubscriptions } from '#infra/local/mappings/log.ts';
import type { LogSubscription } from '#infra/local/template.ts';
import { eventually } from '#test/client.ts';

const subscription: LogSubscription = {
  name: 'filter',
  logGroup: 'group',
  sources: ['api'],
  functionName: 'worker',
  pattern: '{ $.isKept IS TRUE }',
  maxRetries: 0,
  onFailureQueueArn: 'dead',
};

/** A log with one subscription, whose function answers so. */
function started(
  answer: { payload: string } | { error: { errorType: string; errorMessage: string; trace: string[] } },
) {
  const invoked: { functionName: string; event: { awslogs: { data: string } } }[] = [];
  const dead: [queue: string, body: string][] = [];
  let say: (functionName: string, line: string) => void = () => {};
  const stop = startSubscriptions({
    subscriptions: [subscription],
    logs: {
      follow: (listener) => {
        say = listener;
      },
    },
    accountId: '123456789012',
    invoke: async (functionName, event) => {
      invoked.push({ functionName, event: JSON.parse(event) });
      return answer;
    },
    sendToQueue: (queue, body) => dead.push([queue, body]),
  });
  return { invoked, dead, stop, say: (functionName: string, line: string) => say(functionName, line) };
}

const linesOf = (event: { awslogs: { data: string } }) =>
  JSON.parse(gunzipSync(Buffer.from(event.awslogs.data, 'base64')).toString());

test('the lines that the pattern matches come to the function together, as CloudWatch Logs packs them', async () => {
  const { invoked, stop, say } = started({ payload: 'null' });
  const wanted = ['{"isKept":true,"a":1}', '{"a":2,"isKept":true}'];
  for (const line of [...wanted, '{"isKept":false}', '{"of":{"isKept":true}}', '"isKept"', '{"isKept":true'])
    say('api', line);
  say('another', '{"isKept":true}');
  await eventually(() => Promise.resolve(invoked.length > 0), 'the call');
  await stop();
  expect(invoked.map(({ functionName }) => functionName)).toEqual(['worker']);
  const given = linesOf(invoked[0]?.event as never);
  expect(given).toMatchObject({ messageType: 'DATA_MESSAGE', logGroup: 'group', subscriptionFilters: ['filter'] });
  expect(given.logEvents.map(({ message }: { message: string }) => message)).toEqual(wanted);
  expect(new Set(given.logEvents.map(({ id }: { id: string }) => id)).size).toBe(2);
});

test('a failure of the function is a dead letter after the last try', async () => {
  const { dead, stop, say } = started({ error: { errorType: 'Error', errorMessage: 'no', trace: [] } });
  say('api', '{"isKept":true}');
  await stop();
  expect(dead.map(([queue]) => queue)).toEqual(['dead']);
  const { requestPayload, requestContext, responsePayload } = JSON.parse(dead[0]?.[1] ?? '');
  expect(linesOf(requestPayload).logEvents).toHaveLength(1);
  expect([requestContext.condition, requestContext.approximateInvokeCount]).toEqual(['RetriesExhausted', 1]);
  expect(responsePayload).toMatchObject({ errorMessage: 'no' });
});
