import { BedrockRuntimeClient, ConverseCommand, type Message } from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { isPassing } from '#lib/aws/aws.ts';
import { ownConnections } from '#lib/aws/connections.ts';
import { secondMs } from '#lib/core/clock.ts';
import { log } from '#lib/core/log.ts';
import { conflict, unavailable } from '#lib/core/problem.ts';
import { modelTimeoutSeconds } from '#lib/core/timeouts.ts';
import type { Model, Turn } from './model.ts';

/** Leaves the function time to answer. */
const deadlineMs = (modelTimeoutSeconds - 3) * secondMs;
const maxTokens = 1024;
const retryAfterSeconds = 5;
const outOfTime = ['AbortError', 'TimeoutError', 'ModelTimeoutException'];

let client: BedrockRuntimeClient | undefined;

// The SDK's own choice for this client is HTTP/2, which only its streaming operations need.
const bedrock = () => {
  client ??= new BedrockRuntimeClient({ maxAttempts: 2, requestHandler: new NodeHttpHandler(ownConnections) });
  return client;
};

/** A model of Amazon Bedrock. Its `complete` raises 503 when the model is busy or takes too long, 409 when an agent cannot use it. */
export const bedrockModel = (modelId: string): Model => ({
  name: modelId,
  maxTokens,
  async complete({ system, turns }) {
    try {
      const { output, usage } = await bedrock().send(
        new ConverseCommand({
          modelId,
          system: [{ text: system }],
          messages: messagesOf(turns),
          inferenceConfig: { maxTokens },
        }),
        { abortSignal: AbortSignal.timeout(deadlineMs) },
      );
      return {
        text: (output?.message?.content ?? []).map(({ text = '' }) => text).join(''),
        inputTokens: usage?.inputTokens ?? 0,
        outputTokens: usage?.outputTokens ?? 0,
      };
    } catch (error) {
      if (isPassing(error)) throw unavailable(retryAfterSeconds, error);
      throw isModelRefusal(error as Error) ? notAvailable(modelId, error as Error) : error;
    }
  },
  // The model may have been at work when the time was up.
  mayHaveCost: (error) => outOfTime.includes(((error as Error).cause as Error | undefined)?.name ?? ''),
});

/**
 * Whether Bedrock refuses a model whatever it is asked (no access, no such model here, a form that its maker wants is not filled in), or
 * the model does not take what agents ask: a conversation, a system prompt, so long an input. What a message names is a fault of ours.
 */
const isModelRefusal = ({ name, message }: Error) =>
  ['AccessDeniedException', 'ResourceNotFoundException'].includes(name) ||
  (name === 'ValidationException' && !/\bmessages\.\d/.test(message));

function notAvailable(modelId: string, error: Error) {
  log().error('Bedrock refuses a model', { modelId, error });
  return conflict(
    'model_not_available',
    `Bedrock refuses the model ${modelId}: choose another model, or ask the operator for the reason in the log`,
  );
}

/** Converse wants the sides to alternate and the user to begin. */
function messagesOf(turns: readonly Turn[]): Message[] {
  const messages: { role: 'user' | 'assistant'; content: { text: string }[] }[] = [];
  for (const { role, text } of turns) {
    const side = role === 'contact' ? 'user' : 'assistant';
    const last = messages.at(-1);
    if (last?.role === side) last.content.push({ text });
    else messages.push({ role: side, content: [{ text }] });
  }
  if (messages[0]?.role === 'assistant') messages.unshift({ role: 'user', content: [{ text: '(no message yet)' }] });
  return messages;
}
