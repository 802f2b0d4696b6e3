import { env } from '#lib/core/env.ts';
import { log } from '#lib/core/log.ts';
import { system, type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { tenantOf } from '#lib/email/address.ts';
import { Workspaces } from '#lib/entities/workspace.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** Limit for the tenants of one mail, each of which keeps it. */
const maxTenants = 10;
/** SES takes no more of one mail. */
const maxRecipients = 100;

/** The workspaces, each in the environment that is meant, that an envelope names and that are there. Each once. */
export async function addresseesOf(key: string, recipients: readonly string[]): Promise<Tenant[]> {
  const domain = env('MAIL_DOMAIN');
  const named = recipients.flatMap((address) => tenantOf(address, domain) ?? []);
  const tenants = [...new Map(named.map((tenant) => [tenantKey(tenant), tenant])).values()];
  const found = await Promise.all(
    tenants.slice(0, maxRecipients).map(async (tenant) => ({
      tenant,
      workspace: await new UnitOfWork(tenant, system).find(Workspaces, idOf(tenant)),
    })),
  );
  const there = found.flatMap(({ tenant, workspace }) => (workspace ? [tenant] : []));
  if (there.length > maxTenants) log().warn('a mail names too many workspaces', { key, workspaces: there.length });
  return there.slice(0, maxTenants);
}

const idOf = ({ workspaceId: id }: Tenant) => ({ id });
