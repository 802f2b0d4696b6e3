import type { QueueName } from './queues.ts';

/** What is kept encrypted, each with the word that only the encryption context of its kind has. */
export const secretKinds = {
  webhook: 'purpose',
  account: 'account',
  login: 'login',
  'revenue-source': 'revenueSource',
} as const;

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
  | 'own-addresses'
  | 'mail-bucket'
  | 'upload-files'
  | 'read-files'
  | 'store-files'
  | 'read-export-files'
  | 'list-export-files'
  | 'event-bus'
  | 'telegram-app';
