import type { Tenant } from '#lib/core/tenant.ts';
import { Contacts, normalize } from '#lib/entities/contact.ts';
import { type Mailbox, maxParticipants, type Participant, type StoredThread } from '#lib/entities/email-thread.ts';
import { listPage } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { distinct, isOwnAddress, sameAddress } from './address.ts';

/** Returns the participants of a thread after a mail: first authors and our recipients, last people whom a sender only named. */
export function participantsWith(
  before: readonly Participant[],
  active: readonly Mailbox[],
  named: readonly Mailbox[] = [],
): Participant[] {
  const nameOf = (email: string) => before.find((known) => sameAddress(known.email, email))?.name ?? null;
  return distinct<Participant>([
    ...active.map(({ name, email }) => ({ name: name ?? nameOf(email), email })),
    ...before,
    ...named.map((mailbox) => ({ ...mailbox, isNamedOnly: true as const })),
  ]).slice(0, maxParticipants);
}

/** Whether somebody wrote in the thread, was written to or named in it. */
export const takesPart = ({ participants }: StoredThread, email: string) =>
  participants.some((participant) => sameAddress(participant.email, email));

/** Returns the participants of a thread except for the workspace and the deployment's sender. */
export const outsidersOf = (tenant: Tenant, { participants }: StoredThread) =>
  participants.filter(({ email }) => !isOwnAddress(tenant, email));

/** The address of the only one who takes part in a thread from outside; undefined where nobody does, or several do. */
function onlyOutsiderOf(tenant: Tenant, thread: StoredThread): string | undefined {
  const [only, ...others] = outsidersOf(tenant, thread);
  return others.length === 0 ? only?.email : undefined;
}

/** Whether a thread is no contact's, and nobody but who has this address takes part in it from outside. */
export function isOnlyOutsider(tenant: Tenant, thread: StoredThread, email: string): boolean {
  const only = onlyOutsiderOf(tenant, thread);
  return thread.contactId === null && only !== undefined && sameAddress(only, email);
}

/** Whether a contact has this address, other than this one. */
export async function isAddressOfAnother(tx: UnitOfWork, email: string, contactId: number): Promise<boolean> {
  const { items } = await listPage(tx, Contacts, {
    where: { email: normalize.email(email) },
    archived: 'all',
    limit: 2,
  });
  return items.some(({ id }) => id !== contactId);
}

/** Whether a thread of a contact is with another one alone: who begins a thread may give it to any contact. */
export async function isThreadOfAnother(
  tx: UnitOfWork,
  thread: StoredThread,
  contactId: number,
  emails: readonly string[],
): Promise<boolean> {
  const only = onlyOutsiderOf(tx.tenant, thread);
  if (only === undefined || emails.some((email) => sameAddress(only, email))) return false;
  return isAddressOfAnother(tx, only, contactId);
}
