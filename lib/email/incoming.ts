import { log } from '#lib/log.ts';
import { Problem } from '#lib/problem.ts';
import { Transaction, transact } from '#lib/table/transaction.ts';
import { system, type Tenant, tenantKey } from '#lib/tenant.ts';
import { Workspaces } from '#lib/workspaces/workspace.ts';
import { tenantOf } from './address.ts';
import { type Mail, parseMail } from './mail.ts';
import { receiveMail } from './receive.ts';

/** Stores a mail with every workspace that it is addressed to; mail for nobody here, or from nobody, is left in the bucket. */
export async function deliverIncoming(raw: Uint8Array): Promise<void> {
  const mail = await readable(raw);
  for (const tenant of mail ? recipientsOf(mail) : []) {
    if (!(await new Transaction(tenant, system).find(Workspaces, { id: tenant.workspaceId }))) continue;
    await transact(tenant, system, (tx) => receiveMail(tx, mail as Mail));
  }
}

async function readable(raw: Uint8Array): Promise<Mail | undefined> {
  try {
    return await parseMail(raw);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    log().warn('a mail names no sender');
    return undefined;
  }
}

function recipientsOf({ deliveredTo }: Mail): Tenant[] {
  const tenants = deliveredTo.flatMap((address) => tenantOf(address) ?? []);
  return [...new Map(tenants.map((tenant) => [tenantKey(tenant), tenant])).values()];
}
