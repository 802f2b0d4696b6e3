import type * as v from 'valibot';
import { listIndexed, type Page } from '#lib/table/list.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { Contacts, type DuplicateQuery, identityOf, type StoredContact } from './contact.ts';
import { getStoredContact } from './store.ts';

/** The contacts that share username and platform, phone or e-mail with this one, however they are spelled. Raises 404. */
export async function listDuplicates(
  tx: Transaction,
  id: number,
  { after = Number.POSITIVE_INFINITY, limit }: v.InferOutput<typeof DuplicateQuery>,
): Promise<Page<StoredContact>> {
  const contact = await getStoredContact(tx, id);
  const sharing = async (field: keyof typeof identityOf) => {
    const value = contact[field];
    return value === null ? [] : listIndexed(tx, Contacts, identityOf[field](value));
  };
  const [byUsername, byPhone, byEmail] = await Promise.all([sharing('username'), sharing('phone'), sharing('email')]);
  const onPlatform = byUsername.filter(({ platform }) => platform === contact.platform);
  const others = new Map([...onPlatform, ...byPhone, ...byEmail].map((other) => [other.id, other]));
  others.delete(id);
  const found = [...others.values()].filter((other) => other.id < after).sort((a, b) => b.id - a.id);
  const items = found.slice(0, limit);
  const hasMore = found.length > limit;
  return { items, nextCursor: hasMore ? (items.at(-1)?.id ?? null) : null, hasMore };
}
