import { join } from 'node:path';
import type { Invoke } from './functions.ts';
import type { SendToQueue } from './mappings/batch.ts';
import { fileCheckpoint } from './mappings/checkpoint.ts';
import { pollQueue } from './mappings/queue.ts';
import { runRule } from './mappings/rule.ts';
import { pollStream, type StreamSource } from './mappings/stream.ts';
import type { LocalSqs } from './sqs.ts';
import type { Home } from './template/identities.ts';
import type { Deployment } from './template.ts';

export interface MappingsSettings extends Home {
  deployment: Pick<Deployment, 'queueMappings' | 'streamMappings' | 'rules'>;
  invoke: Invoke;
  sendToQueue: SendToQueue;
  sqs: LocalSqs;
  streamOf(tableName: string): StreamSource;
  /** Where it remembers how far the streams are read. */
  checkpoints: string;
}

/** Starts everything that invokes functions by itself. The function it returns stops it, after the invocations at work. */
export function startMappings(settings: MappingsSettings): () => Promise<void> {
  const { deployment, invoke, sendToQueue, sqs, streamOf, checkpoints, accountId, region } = settings;
  const stopping = new AbortController();
  const { signal } = stopping;
  const queues = deployment.queueMappings.map((mapping) => {
    const queue = sqs.queueByArn(mapping.queueArn);
    if (!queue)
      throw new Error(`the mapping ${mapping.id} reads from ${mapping.queueArn}, which is not in the template`);
    return pollQueue(mapping, queue, invoke, signal);
  });
  const streams = deployment.streamMappings.map((mapping) => {
    const source = streamOf(mapping.tableName);
    const checkpoint = fileCheckpoint(join(checkpoints, `${mapping.id}.json`), source.streamArn);
    return pollStream({ mapping, source, checkpoint, invoke, sendToQueue, signal });
  });
  const rules = deployment.rules.map((rule) => runRule(rule, invoke, { accountId, region }, signal));
  return async () => {
    stopping.abort();
    await Promise.all([...queues, ...streams, ...rules]);
  };
}
