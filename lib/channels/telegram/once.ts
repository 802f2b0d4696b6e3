import { createHash } from 'node:crypto';
import Long from 'long';
import { type Tenant, tenantKey } from '#lib/core/tenant.ts';
import type { StoredAccount } from '#lib/entities/account.ts';
import type { StoredJob } from '#lib/entities/job.ts';
import type { Outcome } from '#lib/messages/jobs/sender.ts';
import type { Addressee } from './connection.ts';
import { RefusedCall } from './refused-call.ts';
import type { UserConnection } from './user-connection.ts';

/** An account and the connection on which it sends. */
export interface Hand {
  tenant: Tenant;
  account: StoredAccount;
  connection: UserConnection;
}

/** The same for every attempt of a job: Telegram keeps one message of all that carry it. Each file of one has its own. */
export function randomId({ tenant, account }: Hand, job: StoredJob, attachmentId?: number): Long {
  const digest = createHash('sha256')
    .update([tenantKey(tenant), account.id, job.id, ...(attachmentId === undefined ? [] : [attachmentId])].join('/'))
    .digest();
  return Long.fromBytesLE([...digest.subarray(0, 8)]);
}

/** Without its id it would be taken for one that the person has written elsewhere; it has left all the same. */
const unlessRefused = (find: () => Promise<number | undefined>) => find().catch(() => undefined);

/** A message that leaves once, however often it is sent; each way returns what Telegram calls it. */
export async function delivered(
  { userId }: Addressee,
  send: () => Promise<number | undefined>,
  find: () => Promise<number | undefined>,
): Promise<Outcome> {
  const messageId = await send().catch(async (error: unknown) => {
    if (!(error instanceof RefusedCall) || error.message !== 'RANDOM_ID_DUPLICATE') throw error;
    return unlessRefused(find);
  });
  if (messageId === undefined) return { kind: 'sent' };
  return { kind: 'sent', atPlatform: { userId: String(userId), messageId: String(messageId) } };
}
