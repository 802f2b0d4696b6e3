import * as v from 'valibot';
import { env } from '#lib/core/env.ts';
import { count, id, storedChoice } from '#lib/core/schema.ts';
import { scopes } from '#lib/core/scopes.ts';
import { environments } from '#lib/core/tenant.ts';
import { entity } from '#lib/table/entity.ts';
import { rowKey } from '#lib/table/keys.ts';

/** An API key with its requests of this minute; found without knowing the workspace. */
export const Keys = entity({
  name: 'key',
  scope: 'workspace',
  schema: v.object({
    id: id(),
    keyId: v.string(),
    workspaceId: id(),
    name: v.string(),
    env: storedChoice(environments),
    /** SHA-256 of the whole key, hex. */
    hash: v.string(),
    scopes: v.array(storedChoice(scopes)),
    ipAllowlist: v.array(v.string()),
    rateLimitPerMinute: v.nullable(count()),
    lastUsedAt: v.optional(v.nullable(v.string()), null),
    lastUsedIp: v.optional(v.nullable(v.string()), null),
    expiresAt: v.nullable(v.string()),
    createdByKeyId: v.nullable(v.string()),
    createdAt: v.string(),
    revokedAt: v.nullable(v.string()),
    /** The minute (Unix seconds) of the current window and the requests counted in it; lib/auth/identify-key.ts keeps them. */
    window: v.optional(v.number()),
    used: v.optional(v.number()),
  }),
  countedBeside: ['window', 'used', 'lastUsedAt', 'lastUsedIp'],
  partitionKey: ({ keyId }) => rowKey('key', { keyId }).pk,
  sortKey: ({ keyId }) => rowKey('key', { keyId }).sk,
  indexes: { all: {} },
});

export type StoredKey = v.InferOutput<(typeof Keys)['schema']>;

/** The key as it is shown: with the rate that holds for it. */
export const toKeyView = (key: StoredKey) => ({
  ...key,
  rateLimitPerMinute: key.rateLimitPerMinute ?? env('RATE_LIMIT_PER_MINUTE'),
});
