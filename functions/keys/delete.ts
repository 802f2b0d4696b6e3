import { RevokedKey, RevokeQuery } from '#lib/auth/key-schema.ts';
import { revokeKey } from '#lib/auth/key-store.ts';
import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { cancelQueuedJobs } from '#lib/transport/sending/cancel.ts';

/**
 * Revokes a key, effective at once; the caller's own is allowed. Revoking it again gives the same answer. With `cancelQueued` the
 * messages that it queued and that are not being sent become `failed` (`canceled`), also those of a key that was revoked before;
 * `canceledJobs` says how many, of which the last may follow within minutes when there are thousands.
 */
export const handler = endpoint(
  {
    method: 'DELETE',
    path: '/v1/keys/{id}',
    summary: 'Revoke an API key',
    scope: 'keys:manage',
    query: RevokeQuery,
    status: 200,
    response: RevokedKey,
    errors: ['not_found'],
    needs: ['change-keys'],
    timeoutSeconds: longTimeoutSeconds,
  },
  async ({ tx, params, query }) => {
    const revoked = await revokeKey(tx, params.id);
    return query.cancelQueued ? { ...revoked, canceledJobs: await cancelQueuedJobs(tx, revoked) } : revoked;
  },
);
