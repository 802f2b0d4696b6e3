import * as v from 'valibot';
import { OperatorKey } from '#lib/auth/key-schema.ts';
import { findByKeyId, mintKey, revokeKeyById } from '#lib/auth/key-store.ts';
import { text } from '#lib/core/schema.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { transact } from '#lib/table/transact.ts';
import { cancelQueuedJobs } from '#lib/transport/sending/cancel.ts';
import { asOperator, tenantFields } from './operator.ts';

const Create = v.object({ ...tenantFields, ...OperatorKey.entries });
const Revoke = v.object({ keyId: text(12), cancelQueued: v.optional(v.boolean(), false) });

async function create(input: v.InferOutput<typeof Create>) {
  const { rateLimitPerMinute } = input;
  const minted = await asOperator(input, (tx) => mintKey(tx, input, { createdByKeyId: null, rateLimitPerMinute }));
  return { keyId: minted.keyId, key: minted.key };
}

async function revoke({ keyId, cancelQueued }: v.InferOutput<typeof Revoke>) {
  const tenant = await transact<Tenant>(nowhere, operator, (tx) => findByKeyId(tx, keyId));
  return asOperator(tenant, async (tx) => {
    const key = await revokeKeyById(tx, keyId);
    const canceledJobs = cancelQueued ? await cancelQueuedJobs(tx, key) : undefined;
    return { keyId, revokedAt: key.revokedAt, canceledJobs };
  });
}

/** A key tells its workspace, not the other way round. */
const nowhere: Tenant = { workspaceId: 0, env: 'live' };

export const commands = { create: { input: Create, run: create }, revoke: { input: Revoke, run: revoke } };
