import type { Platform } from '#lib/core/channel.ts';
import { Account, reportedOfAccounts } from '#lib/entities/account.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { getAccount } from './store.ts';

/** Returns the common declaration of operations that change the account with the `id` of the path. */
export const accountChange = (channel: Platform) =>
  ({
    scope: 'accounts:manage',
    status: 200,
    response: Account,
    current: (tx: UnitOfWork, { id }: { id: number }) => getAccount(tx, id, channel),
    reported: reportedOfAccounts,
  }) as const;
