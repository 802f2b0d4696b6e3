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
  'plans',
  'incoming-mail',
  'workspace-mail',
  'inbound',
  'polls',
  'mail-notices',
] as const;

export type QueueName = (typeof queues)[number];

/** What is kept encrypted, each with the word that only the encryption context of its kind has. */
export const secretKinds = { webhook: 'purpose', account: 'account', 'revenue-source': 'revenueSource' } as const;

export type SecretKind = keyof typeof secretKinds;

/** What a function may use besides the table; infra turns each into permissions and environment variables (lib/env.ts). */
export type Need =
  | `send:${QueueName}`
  | 'schedule'
  | `encrypt:${SecretKind}`
  | `decrypt:${SecretKind}`
  | 'bedrock'
  | 'ses'
  | 'mail-sender'
  | 'mail-domain'
  | 'mail-bucket';
