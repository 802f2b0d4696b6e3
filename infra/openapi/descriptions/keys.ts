import type { Noun } from './noun.ts';

const granted = {
  name: 'Purpose of the key, 1 to 100 characters, for example `Nightly sync`.',
  ipAllowlist:
    'Addresses and ranges (CIDR) the key may be used from, at most 50. Empty means any address. Each must lie within the list of the calling key.',
  expiresAt: 'When the key stops working. Null means never. It cannot be later than that of the calling key.',
};

const scopes =
  'Permissions of the key. `webhooks:read` also reads the contents of all events, and a write scope reads what it changes.';

export const keys: Noun = {
  about: 'API keys of the workspace. A key with `keys:manage` makes no key that is stronger than itself.',
  operations: {
    keysList:
      'Lists the API keys of the workspace, newest first, without their secrets. Use it to find keys that nobody uses any more, by `lastUsedAt`. Revoked keys are included unless you filter them out.',
    keysCreate:
      'Creates an API key and shows it once: store it at once. Use one key for each program. The new key gets no scope, rate limit, expiry, or allowlist that exceeds the calling key: asking for more answers 403 `stronger_key`.',
    keysGet:
      'Returns one API key: its scopes, limits, and last use. Use it to check what a key may do. The secret is never shown again.',
    keysPatch:
      'Changes the name, the scopes, the allowlist, or the expiry of a key. It can be given no more than the calling key has, and a stronger key cannot be changed (403 `stronger_key`). Its secret and its environment never change.',
    keysDelete:
      'Revokes a key at once and for good. Use it when a key has leaked. Any key with `keys:manage` may revoke any key of its environment, even a stronger one. Messages that the key queued are still sent, unless you pass `cancelQueued=true`.',
  },
  parameters: {
    '*': { id: 'Id of the key: the number in `GET /v1/keys`, not the 12-character id.' },
    keysList: {
      env: 'Only keys of this environment; both by default.',
      isRevoked: '`true` for revoked keys only, `false` for those that work; both by default.',
    },
    keysDelete: {
      cancelQueued: 'Also cancel the messages that the key has queued and that are not being sent. Default false.',
    },
  },
  schemas: {
    Key: {
      ...granted,
      id: 'Id of the key as a number, for paths.',
      keyId: 'Public part of the key, 12 characters. Logs and events name the key by it.',
      env: 'Whether the key works on real data or on the sandbox.',
      scopes,
      rateLimitPerMinute: 'Requests the key may make in a minute, 600 by default.',
      lastUsedAt: 'When the key was last used. Null if it never was.',
      lastUsedIp: 'Address the key was last used from. Null if it never was.',
      createdByKeyId: 'The 12-character id of the key that created it. Null when an operator or a member did.',
      revokedAt: 'When the key was revoked. Null while it works.',
    },
    MintKey: { ...granted, scopes },
    PatchKey: {
      ...granted,
      scopes: 'The new set of scopes. Scopes left out are taken away; new ones must be scopes of the calling key.',
    },
    MintedKey: {
      key: 'The whole key, for the `Authorization` header. Shown once: null when the answer is repeated under its `Idempotency-Key`.',
    },
    RevokedKey: {
      id: 'Id of the revoked key as a number.',
      keyId: 'Public part of the revoked key, 12 characters.',
      revoked: 'Always true: the key does not work any more.',
      revokedAt: 'When the key was revoked.',
      canceledJobs:
        'How many queued messages were canceled. Given only with `cancelQueued=true`; of thousands, the last may follow within minutes.',
    },
  },
  like: { MintedKey: 'Key' },
  enums: {
    Environment: [
      'The environment of a key and its data.',
      { live: 'real data', test: 'the sandbox: nothing leaves the service' },
    ],
    Scope: [
      'A permission of a key. Powerful scopes are granted only when they are named.',
      {
        'contacts:read': 'read contacts, conversations, tags, and members',
        'contacts:write': 'create and change contacts, notes, and tags',
        'contacts:erase': 'erase contacts for good (powerful)',
        'telegram:read': 'read Telegram accounts and messages',
        'telegram:send': 'send Telegram messages, cancel and retry them',
        'twitter:send': 'send X messages and read their accounts',
        'deals:read': 'read deals',
        'deals:write': 'create, change, and move deals',
        'tasks:read': 'read tasks',
        'tasks:write': 'create, change, and complete tasks',
        'pipelines:read': 'read pipelines with their counts and totals',
        'finance:read': 'read transactions, invoices, and revenue sources',
        'finance:write': 'book transactions and mark invoices as paid (powerful)',
        'email:read': 'read mail',
        'email:write': 'set status and assignee of mail threads',
        'email:send': 'reply to mail (powerful)',
        'email:compose': 'write new mail (powerful)',
        'sequences:read': 'read sequences and enrollments',
        'sequences:write': 'pause and resume sequences',
        'agents:read': 'read AI agents',
        'agents:run': 'try AI agents, which costs tokens',
        'analytics:read': 'read figures',
        'jobs:read': 'read what is to be sent, on all channels',
        'webhooks:read': 'read endpoints, deliveries, and the contents of all events',
        'webhooks:write': 'create and change endpoints, and replay deliveries',
        'accounts:manage': 'connect and disconnect messaging accounts (powerful)',
        'keys:manage': 'create and revoke keys, read the audit trail (powerful)',
      },
    ],
  },
};
