import type { Need } from '#lib/core/needs.ts';
import type { QueueName } from '#lib/core/queues.ts';

/** Trigger of a worker, from which infra makes the event-source mapping or the rule. */
export type Trigger =
  | {
      queue: QueueName;
      batchSize: number;
      batchingWindowSeconds?: number;
      /** Its share of the account's 1,000: those of all queues together stay below half, the rest is the API's. */
      maxConcurrency: number;
    }
  | { stream: 'table'; batchSize: number; filters: readonly Record<string, unknown>[] }
  | { rate: `rate(${string})` }
  /** Lines of the log that the endpoints share, those that the pattern matches. */
  | { log: 'api'; pattern: string };

export interface WorkerSettings {
  trigger: Trigger;
  summary: string;
  /** It reads what people outside have written, so its role may not change API keys. */
  readsUntrusted?: boolean;
  needs?: readonly Need[];
  timeoutSeconds: number;
  memoryMb?: number;
  /** Size of the local disk, which outlives a killed invocation. Default: 512. */
  diskMb?: number;
}

/** Settings of a worker that a queue, the stream, or the log triggers. */
export type TriggeredBy<By extends 'queue' | 'stream' | 'log'> = WorkerSettings & {
  trigger: Extract<Trigger, Record<By, unknown>>;
};

export interface Worker<Event = unknown, Result = unknown> {
  (event: Event): Promise<Result>;
  worker: WorkerSettings;
}

/** A Lambda that nobody calls over HTTP: the work with its declaration attached. */
export function worker<Event, Result>(
  settings: WorkerSettings,
  work: (event: Event) => Promise<Result>,
): Worker<Event, Result> {
  return Object.assign((event: Event) => work(event), { worker: settings });
}
