import { digestOf } from '#lib/core/mail-address.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import type { Authentication } from '#lib/entities/email-message.ts';
import { type Counted, remaining, take } from '#lib/table/quota.ts';

/** Sender of a message, as far as it is known. */
export interface Sender {
  contactId: number | null;
  /** Address, if it is a mail. */
  email?: string | undefined;
  verdict?: Authentication['verdict'] | undefined;
}

/** Returns the bytes that a sender may still send today: the rest of its own quota or of the workspace's, whichever is less. */
export async function roomFor(tenant: Tenant, sender: Sender): Promise<number> {
  return Math.min(...(await Promise.all(quotasOf(sender).map((quota) => remaining(tenant, quota)))));
}

/** Counts what was received against today's quotas of its sender and of the workspace. */
export async function countReceived(tenant: Tenant, sender: Sender, bytes: number): Promise<void> {
  await Promise.all(quotasOf(sender).map((quota) => take(tenant, quota, bytes)));
}

/** Mail that is not proven to come from its address may be anybody's: all of it is one sender. */
const quotasOf = ({ contactId, email, verdict }: Sender): Counted[] => {
  const stranger = verdict === 'pass' && email !== undefined ? digestOf(email) : 'unverified';
  return ['received', `receivedFrom/${contactId ?? stranger}`];
};
