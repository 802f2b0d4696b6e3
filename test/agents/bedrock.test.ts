import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bedrockModel } from '#lib/agents/bedrock.ts';
import { readCompletion } from '#lib/agents/prompt.ts';

const asked: { path: string | undefined; body: unknown }[] = [];
let answer: { status: number; type?: string; body: unknown };
const bedrock = createServer(async (request, response) => {
  asked.push({ path: request.url, body: JSON.parse(await text(request)) });
  response.writeHead(answer.status, {
    'content-type': 'application/json',
    ...(answer.type && { 'x-amzn-errortype': answer.type }),
  });
  response.end(JSON.stringify(answer.body));
});

beforeAll(async () => {
  await new Promise<void>((resolve) => bedrock.listen(0, '127.0.0.1', resolve));
  process.env['AWS_ENDPOINT_URL_BEDROCK_RUNTIME'] = `http://127.0.0.1:${(bedrock.address() as AddressInfo).port}`;
});
afterAll(() => bedrock.close());

test('asks Converse with sides that alternate and the contact first', async () => {
  answer = {
    status: 200,
    body: {
      output: { message: { role: 'assistant', content: [{ text: 'Twelve ' }, { text: 'euros.' }] } },
      stopReason: 'end_turn',
      usage: { inputTokens: 40, outputTokens: 5, totalTokens: 45 },
      metrics: { latencyMs: 3 },
    },
  };
  const completion = await bedrockModel('amazon.nova-lite-v1:0').complete({
    system: 'You sell boats.',
    turns: [
      { role: 'agent', text: 'Hello!' },
      { role: 'contact', text: 'Hi.' },
      { role: 'contact', text: 'How much?' },
    ],
  });
  expect(completion).toEqual({ text: 'Twelve euros.', inputTokens: 40, outputTokens: 5 });
  expect(asked).toEqual([
    {
      path: '/model/amazon.nova-lite-v1%3A0/converse',
      body: {
        system: [{ text: 'You sell boats.' }],
        messages: [
          { role: 'user', content: [{ text: '(no message yet)' }] },
          { role: 'assistant', content: [{ text: 'Hello!' }] },
          { role: 'user', content: [{ text: 'Hi.' }, { text: 'How much?' }] },
        ],
        inferenceConfig: { maxTokens: 1024 },
      },
    },
  ]);
});

test('a busy model is a 503 that says when to try again', async () => {
  answer = { status: 429, type: 'ThrottlingException', body: { message: 'slow down' } };
  await expect(
    bedrockModel('m').complete({ system: 's', turns: [{ role: 'contact', text: 'Hi' }] }),
  ).rejects.toMatchObject({
    code: 'internal_error',
    status: 503,
    headers: { 'Retry-After': '5' },
  });
});

test('a model that hands off says so in the first line of its answer', () => {
  expect(readCompletion('[HAND OFF] wants a refund\n\nI ask a colleague.')).toEqual({
    draft: 'I ask a colleague.',
    handOffReason: 'wants a refund',
  });
  expect(readCompletion('It costs 12.')).toEqual({ draft: 'It costs 12.', handOffReason: null });
});
