import { accountSecret } from '#lib/accounts/store.ts';
import { idOn } from '#lib/channels/identities.ts';
import type { StoredJob } from '#lib/entities/job.ts';
import { sandboxSender } from '#lib/jobs/sandbox.ts';
import type { OpenSender } from '#lib/jobs/sender.ts';
import { contactOf } from '#lib/messages/recipient.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { system, type Tenant } from '#lib/tenant.ts';
import { openBot } from './bot.ts';
import { telegram } from './channel.ts';

/** The way out of a Telegram account. Needs the key. */
export const openTelegram: OpenSender = async (tenant, account) => {
  if (tenant.env === 'test') return sandboxSender;
  if (account.kind === 'user') {
    const { openUser } = await import('./user.ts');
    return openUser(tenant, account);
  }
  return openBot(await accountSecret(tenant, account), (job) => chatIdOf(tenant, job));
};

/** The chat with a person has the person's id: known from the send, or from the contact that has written. */
async function chatIdOf(tenant: Tenant, job: StoredJob): Promise<number | undefined> {
  if (job.target.telegramUserId !== undefined) return job.target.telegramUserId;
  const tx = new UnitOfWork(tenant, system);
  const contact = await contactOf(tx, telegram.name, job);
  return contact && idOn(telegram, contact.identities);
}
