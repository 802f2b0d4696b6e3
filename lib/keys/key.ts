import * as v from 'valibot';
import { scopes } from '#lib/scopes.ts';
import { entity } from '#lib/table/entity.ts';
import { environments } from '#lib/tenant.ts';

/** A key as it is stored; it is found by its public part, without knowing the workspace. */
export const Keys = entity({
  name: 'key',
  scope: 'workspace',
  schema: v.object({
    id: v.number(),
    keyId: v.string(),
    workspaceId: v.number(),
    name: v.string(),
    env: v.picklist(environments),
    /** SHA-256 of the whole key, hex. */
    hash: v.string(),
    scopes: v.array(v.picklist(scopes)),
    ipAllowlist: v.array(v.string()),
    rateLimitPerMinute: v.nullable(v.number()),
    lastUsedAt: v.optional(v.nullable(v.string()), null),
    lastUsedIp: v.optional(v.nullable(v.string()), null),
    expiresAt: v.nullable(v.string()),
    createdByKeyId: v.nullable(v.string()),
    createdAt: v.string(),
    revokedAt: v.nullable(v.string()),
    /** The minute (Unix seconds) of the current window and the requests counted in it; lib/keys/identify.ts keeps them. */
    window: v.optional(v.number()),
    used: v.optional(v.number()),
  }),
  partitionKey: ({ keyId }) => `KEY#${keyId}`,
  sortKey: () => 'KEY',
  indexes: ({ id }) => [{ name: 'all', copy: { id } }],
});

export type StoredKey = v.InferOutput<(typeof Keys)['schema']>;
