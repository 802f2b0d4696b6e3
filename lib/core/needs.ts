import type { QueueName } from './queues.ts';

/** What is kept encrypted, each with the word that only the encryption context of its kind has. */
export const secretKinds = {
  webhook: 'purpose',
  account: 'account',
  login: 'login',
  'revenue-source': 'revenueSource',
} as const;

export type SecretKind = keyof typeof secretKinds;

/** Rows that only some functions read or change, besides those of tenants, which all read (infra/stacks/rows.ts). */
const rowNeeds = [
  /** Of an endpoint: workers commit anyway, and so does whoever answers to another method than GET. */
  'commit',
  'read-keys',
  'change-keys',
  'read-hooks',
  'change-hooks',
  'change-members',
  'ask-sign-ins',
  'make-sign-ins',
  'open-sessions',
  'read-outbox',
  'move-outbox',
  'move-timers',
  'sweep',
] as const;

export type RowNeed = (typeof rowNeeds)[number];

export const isRowNeed = (need: Need): need is RowNeed => (rowNeeds as readonly Need[]).includes(need);

/** What a function may use besides the rows of tenants; infra turns each into permissions and environment variables (lib/core/env.ts). */
export type Need =
  | RowNeed
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
