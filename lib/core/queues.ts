import { channels } from './channel.ts';

/** Every SQS queue, by its short name. Each is a standard queue with a dead-letter queue of its own; infra derives time-outs from its consumer. */
export const queues = [
  ...channels,
  'deliveries',
  'slow-deliveries',
  'fan-outs',
  'sequences',
  'revenue',
  'invoices',
  'reminders',
  'timers',
  'sagas',
  'copies',
  'imports',
  'incoming-mail',
  'workspace-mail',
  'inbound',
  'polls',
  'user-polls',
  'mail-notices',
  'attachments',
  'bus',
  'sign-ins',
  'exports',
] as const;

export type QueueName = (typeof queues)[number];
