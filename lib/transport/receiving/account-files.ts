import { minuteMs, now, secondMs, shifted } from '#lib/core/clock.ts';
import { telegram } from '#lib/core/telegram-channel.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { attachmentTimeoutSeconds } from '#lib/core/timeouts.ts';
import type { StoredAccount } from '#lib/entities/account.ts';
import { type Transfer, Transfers } from '#lib/entities/transfer.ts';
import type { FileSource } from '#lib/files/source.ts';
import { lockAccount } from '#lib/messages/accounts/sender.ts';
import { firstIndexed } from '#lib/table/entries.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** Files are begun for so long; then whoever else wants the account may have it. */
const sharedMs = 15 * secondMs;
/** They are fetched for so long; then there is time to store the last one. */
const budgetMs = (attachmentTimeoutSeconds - 30) * secondMs;
/** Outlives every process that holds it. */
const leaseMs = (attachmentTimeoutSeconds + 5) * secondMs;
/** After which the first of those that wait for an account tries again. */
const busyMs = secondMs;
/** The others are gone on with or woken by whoever has the account; so long after that one has died they are not. */
const forgottenMs = 5 * minuteMs;

export type OpenSource = (tenant: Tenant, account: StoredAccount) => Promise<FileSource>;

/**
 * Has the files of a message in a person's account stored, and then those of the messages that wait for the account, the oldest first,
 * until a sender wants it, an attempt was in vain (`store` returns false) or the turn is over. Nobody waits here for an account that is
 * taken: its files wait in the table.
 */
export async function storeFilesOfAccount(
  tenant: Tenant,
  transfer: Transfer,
  accountId: number,
  store: (messageId: number, open: OpenSource) => Promise<boolean>,
): Promise<void> {
  const startedMs = now();
  const lock = await lockAccount({ tenant, channel: telegram.name, accountId }, leaseMs, 0);
  if (!lock) return wait(tenant, transfer, accountId);
  const files = new AccountFiles(startedMs + budgetMs);
  try {
    for (let id: number | undefined = transfer.id; id !== undefined; id = await firstWaiting(tenant, accountId)) {
      if (!(await store(id, files.open)) || now() > startedMs + sharedMs || (await lock.isContended())) break;
    }
  } finally {
    await files.close().finally(lock.release);
    await wakeFirst(tenant, accountId);
  }
}

/** The one connection of a turn, which the first file opens. */
class AccountFiles {
  readonly #deadlineMs: number;
  #source: FileSource | undefined;

  constructor(deadlineMs: number) {
    this.#deadlineMs = deadlineMs;
  }

  readonly open: OpenSource = async (...account) => {
    const { openUserFiles } = await import('#lib/channels/telegram/user-files.ts');
    this.#source ??= await openUserFiles(...account, this.#deadlineMs);
    return { ...this.#source, close: async () => {} };
  };

  async close(): Promise<void> {
    await this.#source?.close();
  }
}

const firstOf = (tx: UnitOfWork, accountId: number): Promise<Transfer | undefined> =>
  firstIndexed(tx, Transfers, { waiting: accountId });

const firstWaiting = async (tenant: Tenant, accountId: number) =>
  (await firstOf(new UnitOfWork(tenant, system), accountId))?.id;

/** Puts the files of a message off, which is no attempt, beyond a timer that rang early; the first of those that wait comes again soon. */
async function wait(tenant: Tenant, { id, dueAt }: Transfer, accountId: number): Promise<void> {
  const isBehind = await transact(tenant, system, async (tx) => {
    const [transfer, first] = [await tx.find(Transfers, { id }), await firstOf(tx, accountId)];
    // The owner of the account may have begun with it.
    if (transfer?.dueAt !== dueAt) return false;
    const isFirst = first === undefined || id <= first.id;
    const later = shifted(dueAt > tx.now ? dueAt : tx.now, isFirst ? busyMs : forgottenMs);
    tx.update(Transfers, { ...transfer, isWaiting: true, dueAt: later });
    return !isFirst;
  });
  // The last turn of those before it may have ended meanwhile.
  if (isBehind && (await firstWaiting(tenant, accountId)) === id) await wakeFirst(tenant, accountId);
}

const wakeFirst = (tenant: Tenant, accountId: number): Promise<void> =>
  transact(tenant, system, async (tx) => {
    const first = await firstOf(tx, accountId);
    if (first && first.dueAt > tx.now) tx.update(Transfers, { ...first, dueAt: tx.now });
  });
