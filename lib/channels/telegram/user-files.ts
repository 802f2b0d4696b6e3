import { maxUserFileBytes } from '#lib/core/telegram-channel.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { Accounts, type StoredAccount } from '#lib/entities/account.ts';
import type { FileSource } from '#lib/files/source.ts';
import { accountSecret } from '#lib/messages/accounts/store.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { telegramApp } from './app.ts';
import { readSession } from './connection.ts';
import { readUserFileRef } from './media.ts';
import { connectUser } from './user-connection.ts';

/**
 * The files of the messages in a person's account, each by its message, on the account's one connection: for whoever has the account
 * in hand. What is not there by the deadline fails. Needs the key.
 */
export async function openUserFiles(
  tenant: Tenant,
  { id: accountId }: StoredAccount,
  deadlineMs: number,
): Promise<FileSource> {
  const connection = await connected(tenant, accountId);
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
    close: () => connection.close(),
  };
}

/** With the session that the account has now. */
async function connected(tenant: Tenant, id: number) {
  const account = await new UnitOfWork(tenant, system).get(Accounts, { id });
  const app = await telegramApp();
  const session = account.secret === '' ? undefined : readSession(await accountSecret(tenant, account));
  if (!app || !session) throw new Error('this account cannot be used');
  return connectUser(session, app);
}
