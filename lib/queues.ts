/** Every SQS queue, by its short name. Each is a standard queue with a dead-letter queue of its own; infra derives time-outs from its consumer. */
export const queues = [
  'telegram',
  'twitter',
  'email',
  'deliveries',
  'slow-deliveries',
  'sequences',
  'revenue',
  'invoices',
  'wake-ups',
  'plans',
] as const;

export type QueueName = (typeof queues)[number];

/** What a function may use besides the table; infra turns each into permissions and environment variables (lib/env.ts). */
export type Need = `send:${QueueName}` | 'schedule' | 'kms' | 'bedrock' | 'ses' | 'mail-bucket';
