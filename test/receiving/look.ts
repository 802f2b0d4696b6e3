import { secondMs, shifted } from '#lib/core/clock.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { Inbounds } from '#lib/entities/inbound.ts';
import { transact } from '#lib/table/transact.ts';
import { eventually } from '#test/client.ts';

interface Account {
  id: number;
}

/** Has the account of a person look now. Returns the time that it is. */
export const hurry = (tenant: Tenant, { id }: Account): Promise<string> =>
  transact(tenant, operator, async (tx) => {
    const inbound = await tx.get(Inbounds, { id });
    // The same second again would be the same timer, which has rung.
    const dueAt = inbound.dueAt === tx.now ? shifted(tx.now, -secondMs) : tx.now;
    tx.update(Inbounds, { ...inbound, dueAt });
    return tx.now;
  });

/** The account looks now, and has looked. */
export async function looked(tenant: Tenant, account: Account): Promise<void> {
  const at = await hurry(tenant, account);
  const inbound = () => transact(tenant, operator, (tx) => tx.get(Inbounds, { id: account.id }));
  const hasLooked = async () => (({ dueAt }) => dueAt === null || dueAt > at)(await inbound());
  await eventually(hasLooked, 'the account to look', 50_000);
}
