import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { secondMs, shifted } from '#lib/clock.ts';
import { Inbounds } from '#lib/entities/inbound.ts';
import { Senders } from '#lib/entities/sender.ts';
import { transact } from '#lib/table/transact.ts';
import { operator, type Tenant } from '#lib/tenant.ts';
import { eventually } from '#test/client.ts';

interface Account {
  id: number;
}

/** Has the account of a person look now. Returns the time that it is. */
export const hurry = (tenant: Tenant, { id }: Account): Promise<string> =>
  transact(tenant, operator, async (tx) => {
    const inbound = await tx.get(Inbounds, { id });
    // The same second again would be the same timer, which has rung.
    const lookAt = inbound.lookAt === tx.now ? shifted(tx.now, -secondMs) : tx.now;
    tx.update(Inbounds, { ...inbound, lookAt });
    return tx.now;
  });

/** The account looks now, and has looked. */
export async function looked(tenant: Tenant, account: Account, withinMs = 50_000): Promise<void> {
  const at = await hurry(tenant, account);
  const inbound = () => transact(tenant, operator, (tx) => tx.get(Inbounds, { id: account.id }));
  const hasLooked = async () => (({ lookAt }) => lookAt === null || lookAt > at)(await inbound());
  await eventually(hasLooked, 'the account to look', withinMs);
}

const tries = 4;

/** Kills whoever looks, for any account; the account looks then, again where another test has done the same meanwhile. */
export async function lookedAfterKill(tenant: Tenant, account: Account): Promise<void> {
  const request = join(inject('dataDir'), 'kill', 'CrmApi-WorkersUserPolls');
  await writeFile(request, '');
  await eventually(async () => !existsSync(request), 'the process to die');
  for (let left = tries; ; left -= 1) {
    // The lease of who was killed would end by itself.
    await transact(tenant, operator, async (tx) =>
      tx.update(Senders, { ...(await tx.get(Senders, { id: account.id })), leaseUntilMs: 0 }),
    );
    try {
      return await looked(tenant, account, 20_000);
    } catch (error) {
      if (left === 1) throw error;
    }
  }
}
