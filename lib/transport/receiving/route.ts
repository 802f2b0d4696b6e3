import * as v from 'valibot';
import { log } from '#lib/core/log.ts';
import { tenantKey } from '#lib/core/tenant.ts';
import { Judged, type Receipt } from '#lib/email/arrival.ts';
import { sendMessages } from '#lib/queues/send.ts';
import { addresseesOf } from './addressees.ts';

/**
 * Enqueues the mail for each workspace that the envelope names; mail for nobody here is left in the bucket. Throws
 * unless all are enqueued: enqueued again, each of them still keeps the mail once.
 */
export async function routeMail(receipt: Receipt): Promise<void> {
  const { action, recipients } = receipt.receipt;
  const tenants = await addresseesOf(action.objectKey, recipients);
  log().info('a mail gets in line', { key: action.objectKey, tenants: tenants.map(tenantKey) });
  const notice = v.parse(Judged, receipt);
  // A sender to many tenants would have a place in the queue of each.
  const group = tenants.length > 1 ? 'several' : undefined;
  await sendMessages(
    'workspace-mail',
    tenants.map((tenant) => ({ tenant, message: { notice }, group })),
  );
}
