import { idOn } from '#lib/core/channel.ts';
import { telegram } from '#lib/core/telegram-channel.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import type { StoredAccount } from '#lib/entities/account.ts';
import type { StoredJob } from '#lib/entities/job.ts';
import { Messages } from '#lib/entities/message.ts';
import { ownKey } from '#lib/files/keys.ts';
import { accountSecret } from '#lib/messages/accounts/store.ts';
import { blockedError, isBlocked } from '#lib/messages/block.ts';
import { sandboxSender } from '#lib/messages/jobs/sandbox.ts';
import type { OpenSender } from '#lib/messages/jobs/sender.ts';
import { contactOf } from '#lib/messages/recipient.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { openBot } from './bot.ts';

/** The way out of a Telegram account. Needs the key. */
export const openTelegram: OpenSender = async (tenant, account) => {
  if (tenant.env === 'test') return sandboxSender;
  if (account.kind === 'user') {
    const { openUser } = await import('./user.ts');
    return openUser(tenant, account, (job) => attachmentsOf(tenant, job));
  }
  return openBot(await accountSecret(tenant, account), {
    chatIdOf: (job) => chatIdOf(tenant, account, job),
    attachmentsOf: (job) => attachmentsOf(tenant, job),
  });
};

/**
 * The chat with a person has the person's id: known from the send, or from the contact that has written. Nobody is written to who has
 * blocked the bot.
 */
async function chatIdOf(tenant: Tenant, { id: accountId }: StoredAccount, job: StoredJob) {
  const tx = new UnitOfWork(tenant, system);
  const userId = job.target.telegramUserId ?? (await knownId(tx, job));
  if (userId !== undefined && (await isBlocked(tx, { accountId, userId: String(userId) })))
    return { kind: 'failed', error: blockedError } as const;
  return userId;
}

async function attachmentsOf(tenant: Tenant, { contactId, messageId: id }: StoredJob) {
  const { attachments } = await new UnitOfWork(tenant, system).get(Messages, { contactId, id });
  return attachments.map((one) => ({ ...one, key: ownKey(tenant, one.key) }));
}

async function knownId(tx: UnitOfWork, job: StoredJob): Promise<number | undefined> {
  const contact = await contactOf(tx, telegram.name, job);
  return contact && idOn(telegram, contact.identities);
}
