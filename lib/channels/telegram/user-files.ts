import { accountSecret } from '#lib/accounts/store.ts';
import { secondMs } from '#lib/clock.ts';
import { Accounts, type StoredAccount } from '#lib/entities/account.ts';
import { type FileSource, SourceBusy } from '#lib/files/source.ts';
import { takeInHand } from '#lib/jobs/in-hand.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { system, type Tenant } from '#lib/tenant.ts';
import { attachmentTimeoutSeconds } from '#lib/timeouts.ts';
import { telegramApp } from './app.ts';
import { maxUserFileBytes, telegram } from './channel.ts';
import { readSession } from './connection.ts';
import { readUserFileRef } from './media.ts';
import { connectUser } from './user-connection.ts';

/** How long whoever has the account is waited for. */
const patienceMs = 15 * secondMs;
/** Files are fetched for so long; then there is time to store the last one. */
const budgetMs = (attachmentTimeoutSeconds - 45) * secondMs;
/** Outlives every process that holds it. */
const leaseMs = (attachmentTimeoutSeconds + 5) * secondMs;

/**
 * The files of the messages in a person's account, each by its message, on the account's one connection, which nobody else uses until
 * the source is closed. Raises SourceBusy while somebody does. Needs the key.
 */
export async function openUserFiles(tenant: Tenant, { id: accountId }: StoredAccount): Promise<FileSource> {
  const giveFree = await takeInHand({ tenant, channel: telegram.name, accountId }, leaseMs, patienceMs);
  if (!giveFree) throw new SourceBusy();
  try {
    const connection = await connected(tenant, accountId);
    const deadlineMs = Date.now() + budgetMs;
    return {
      maxBytes: maxUserFileBytes,
      async open(ref) {
        const { messageId, fileId } = readUserFileRef(ref);
        const lookUp = async () => {
          const file = await connection.fileOf(messageId);
          // Its message is gone, or has another file by now.
          return file?.id === fileId ? file : undefined;
        };
        const file = await lookUp();
        if (!file) return { kind: 'expired' };
        if (file.sizeBytes > maxUserFileBytes) return { kind: 'too_large' };
        return { kind: 'bytes', bytes: connection.download(file, lookUp, deadlineMs) };
      },
      close: () => connection.close().finally(giveFree),
    };
  } catch (error) {
    await giveFree();
    throw error;
  }
}

/** With the session that the account has now. */
async function connected(tenant: Tenant, id: number) {
  const account = await new UnitOfWork(tenant, system).get(Accounts, { id });
  const app = telegramApp();
  const session = account.secret === '' ? undefined : readSession(await accountSecret(tenant, account));
  if (!app || !session) throw new Error('this account cannot be used');
  return connectUser(session, app);
}
