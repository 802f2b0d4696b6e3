import * as v from 'valibot';
import type { Platform } from '#lib/core/channel.ts';
import { timestamp } from '#lib/core/clock.ts';
import { log } from '#lib/core/log.ts';
import { measure } from '#lib/core/metrics.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { noteReceived } from '#lib/messages/accounts/inbound.ts';
import { isPermanent } from '#lib/table/dead-letter.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/**
 * Stores one thing that a platform tells an account of; `store` returns whether it is kept at all. What cannot be read or stored is
 * logged and counted, and never comes again. Throws for what may pass.
 */
export async function take(
  tenant: Tenant,
  { channel, accountId }: { channel: Platform; accountId: number },
  store: (tx: UnitOfWork) => Promise<boolean>,
): Promise<void> {
  const place = { ...tenant, accountId };
  try {
    const isKept = await transact(tenant, system, store);
    if (!isKept) log().info('an update is not of a private chat, or of no kind that is kept', place);
  } catch (error) {
    if (!isPermanent(error)) throw error;
    log().error('an update cannot be read or stored', { ...place, error: withoutText(error) });
    measure({ channel }, { updatesRefused: 1 });
  }
  await noteReceived(tenant, accountId, timestamp());
}

/** Returns an error without the text of a message, which the errors of a validator quote. */
const withoutText = (error: unknown) => (v.isValiError(error) ? new Error('it has another form') : (error as Error));
