import { channels } from './channels/channel.ts';

/** Every SQS queue, by its short name. Each is a standard queue with a dead-letter queue of its own; infra derives time-outs from its consumer. */
export const queues = [
  ...channels,
  'deliveries',
  'slow-deliveries',
  'fan-outs',
  'sequences',
  'revenue',
  'invoices',
  'timers',
  'sagas',
  'incoming-mail',
  'workspace-mail',
  'inbound',
  'polls',
  'user-polls',
  'mail-notices',
  'attachments',
  'bus',
  'sign-ins',
] as const;

export type QueueName = (typeof queues)[number];

/** Queues that timers name as the release before does, which sends them if the company goes back to it. */
const storedQueues: Partial<Record<QueueName, string>> = { sagas: 'plans' };

/** What a timer keeps of its queue. */
export const storedQueue = (queue: QueueName): string => storedQueues[queue] ?? queue;
/** The queue that a timer keeps so; undefined where there is none. */
export const queueStoredAs = (stored: string): QueueName | undefined =>
  queues.find((queue) => queue === stored || storedQueues[queue] === stored);
