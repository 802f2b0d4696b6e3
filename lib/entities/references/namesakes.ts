import type { Platform } from '#lib/core/channel.ts';
import { normalize, type StoredContact } from '#lib/entities/contact.ts';

type Holders = { email: string } | ReturnType<typeof sameHandle>;

/** By what somebody writes, which several contacts may have. */
export type WrittenBy =
  | { email: string }
  | { platform: Platform; username: string; userId?: number | string | undefined };

/** The contacts that are whoever writes by this, however it is spelled: not those that are known on the platform by another id. */
export function holdersOf(by: WrittenBy): { where: Holders; matches: (contact: StoredContact) => boolean } {
  if ('email' in by) return { where: { email: normalize.email(by.email) }, matches: () => true };
  const { platform, username, userId } = by;
  const isNobodyElse = ({ identities: { [platform]: known } }: StoredContact) =>
    known === undefined || userId === undefined || known === userId;
  return { where: sameHandle(platform, username), matches: isNobodyElse };
}

/** The contacts of a platform that have this username, however it is spelled. */
export const sameHandle = (platform: Platform, username: string) => ({
  handle: { platform, username: normalize.username(username) },
});
