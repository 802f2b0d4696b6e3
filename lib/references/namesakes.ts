import type { Platform } from '#lib/channels/channel.ts';
import { Contacts, normalised, type StoredContact, sameAs } from '#lib/entities/contact.ts';
import { isComplete } from '#lib/table/completeness.ts';
import { indexSince } from '#lib/table/entity.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** An index, and what must be asked of the contacts in it besides. */
export interface Namesakes {
  by: ReturnType<typeof sameAs> | { handle: { platform: Platform; username: string } };
  matches?: (contact: StoredContact) => boolean;
}

/** By what somebody writes, which several contacts may have. */
export type WrittenBy =
  | { email: string }
  | { platform: Platform; username: string; userId?: number | string | undefined };

/** The contacts that are whoever writes by this, however it is spelled: not those that are known on the platform by another id. */
export async function holdersOf(tx: UnitOfWork, by: WrittenBy): Promise<Required<Namesakes>> {
  if ('email' in by) return { by: sameAs('email', by.email), matches: () => true };
  const { platform, username, userId } = by;
  const { by: index, matches = () => true } = await namesakes(tx, platform, username);
  const isNobodyElse = ({ identities: { [platform]: known } }: StoredContact) =>
    known === undefined || userId === undefined || known === userId;
  return { by: index, matches: (contact) => matches(contact) && isNobodyElse(contact) };
}

/** The contacts of a platform that have this username, however it is spelled. */
export async function namesakes(tx: UnitOfWork, platform: Platform, username: string): Promise<Namesakes> {
  if (await isComplete(tx.tenant, Contacts, indexSince(Contacts, 'handle')))
    return { by: { handle: { platform, username: normalised.username(username) } } };
  // Until the workspace is reindexed: those of one username are fewer than the workspace has contacts.
  return { by: sameAs('username', username), matches: (contact) => contact.platform === platform };
}
