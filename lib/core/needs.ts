import type { QueueName } from './queues.ts';

/** Kinds of encrypted values, each with the word that only its encryption context has. */
export const secretKinds = {
  webhook: 'purpose',
  account: 'account',
  login: 'login',
  'revenue-source': 'revenueSource',
} as const;

export type SecretKind = keyof typeof secretKinds;

/** Rows that only some functions read or change, besides those of tenants, which all read (infra/stacks/rows.ts). */
const rowNeeds = [
  /** Need of an endpoint that commits; workers and methods other than GET commit anyway. */
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
  'ask-copies',
  'move-outbox',
  'move-timers',
  'sweep',
] as const;

export type RowNeed = (typeof rowNeeds)[number];

export const isRowNeed = (need: Need): need is RowNeed => (rowNeeds as readonly Need[]).includes(need);

/**
 * Grants that a function may need besides the rows of tenants; infra turns each into permissions and environment
 * variables (lib/core/env.ts).
 */
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
  | 'link-files'
  | 'upload-files'
  | 'read-uploads'
  | 'read-files'
  | 'store-files'
  | 'read-export-files'
  | 'store-export-files'
  | 'list-export-files'
  | 'read-copies'
  | 'store-copies'
  | 'event-bus'
  | 'telegram-app';
