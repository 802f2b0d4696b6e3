import { tenantOf } from '#lib/email/address.ts';
import { type Arrival, arrivalIn, arrivalOf, type Receipt } from '#lib/email/arrival.ts';
import { authenticationOf } from '#lib/email/authentication.ts';
import { fetchMail } from '#lib/email/bucket.ts';
import { type Mail, parseMail } from '#lib/email/mail.ts';
import { Workspaces } from '#lib/entities/workspace.ts';
import { env } from '#lib/env.ts';
import { log } from '#lib/log.ts';
import { measure } from '#lib/metrics.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { system, type Tenant, tenantKey } from '#lib/tenant.ts';
import { type Received, receiveMail } from './mail.ts';

/** Of one mail. SES takes up to a hundred recipients. */
const maxTenants = 50;

/** What became of a mail: where it is now, or that nothing in it can be read. */
export type Delivered = { places: (Tenant & Received)[] } | 'unreadable';

/**
 * Stores a mail that lies in the bucket with every workspace that its envelope names; one that is there already stays as it is.
 * Mail for nobody here is left in the bucket, and so is what cannot be read, which is logged and counted. Without the receipt
 * the envelope is what SES wrote on top of the mail, and whom the operator names.
 */
export async function deliverIncoming(key: string, receipt?: Receipt, recipients?: string[]): Promise<Delivered> {
  const mail = await readable(key, await fetchMail(key));
  if (mail === undefined) return 'unreadable';
  const arrival = receipt ? arrivalOf(receipt, mail) : arrivalIn(mail);
  const places: (Tenant & Received)[] = [];
  for (const tenant of tenantsOf(key, recipients ?? arrival.recipients)) {
    if (!(await new UnitOfWork(tenant, system).find(Workspaces, { id: tenant.workspaceId }))) continue;
    const received = await transact(tenant, system, (tx) => receiveMail(tx, mail, judged(key, mail, arrival)));
    places.push({ ...tenant, ...received });
  }
  return { places };
}

const judged = (key: string, mail: Mail, { isSpam, results }: Arrival) => ({
  key,
  isSpam,
  authentication: authenticationOf(mail, results),
});

async function readable(key: string, raw: Uint8Array): Promise<Mail | undefined> {
  try {
    return await parseMail(raw);
  } catch (error) {
    log().warn('a mail cannot be read', { key, reason: (error as Error).message });
    measure({ worker: 'receive-mail' }, { unreadableMails: 1 });
    return undefined;
  }
}

function tenantsOf(key: string, recipients: readonly string[]): Tenant[] {
  const domain = env('MAIL_DOMAIN');
  const found = recipients.flatMap((address) => tenantOf(address, domain) ?? []);
  const tenants = [...new Map(found.map((tenant) => [tenantKey(tenant), tenant])).values()];
  if (tenants.length > maxTenants) log().warn('a mail names too many workspaces', { key, workspaces: tenants.length });
  return tenants.slice(0, maxTenants);
}
