import type * as v from 'valibot';
import { withMetadata } from '#lib/core/metadata.ts';
import { phoneDigits, phoneSpellings } from '#lib/core/phone.ts';
import { wordsOf } from '#lib/core/text.ts';
import { type ContactQuery, Contacts, normalize, type StoredContact } from '#lib/entities/contact.ts';
import { Tags } from '#lib/entities/tag.ts';
import { listNoun } from '#lib/search/list.ts';
import { common, holding } from '#lib/table/conditions.ts';
import type { Page } from '#lib/table/list.ts';
import { listingFrom } from '#lib/table/listing.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { lookupOf } from './lookup.ts';

/** Contacts in descending order of id; every filter is exact and may be combined. */
export async function listContacts(
  tx: UnitOfWork,
  { include, ...query }: v.InferOutput<typeof ContactQuery>,
): Promise<Page<StoredContact>> {
  const { tagId } = query;
  const byPhone = query.phone === undefined ? undefined : await lookupOf(tx, 'phone', query.phone);
  const [page, tag] = await Promise.all([
    listNoun(
      tx,
      Contacts,
      listingFrom(Contacts, query, {
        ...common,
        username: (username) => ({ where: { username: normalize.username(username) } }),
        email: (email) => ({ where: { email: normalize.email(email) } }),
        phone: () => byPhone ?? {},
        tagId: (tag) => ({ where: { tag } }),
        companyId: (company) => ({ where: { company } }),
        assignedToUserId: (assignee) => ({ where: { assignee } }),
        hasUnread: (hasUnread) =>
          hasUnread
            ? { where: { unread: true } }
            : { matches: (contact) => !contact.hasUnreadMessages, columns: ['hasUnreadMessages'] },
        minScore: (least) => ({
          matches: ({ leadScore }) => leadScore !== null && leadScore >= least,
          columns: ['leadScore'],
        }),
        metadata: (metadata) => ({ contains: { metadata: withMetadata(metadata) } }),
        q: (q) =>
          holding(wordsOf(q, phoneSpellings), ['name', 'username', 'phone'], ({ name, username, phone }) => [
            ...[name, username, phone],
            phone && phoneDigits(phone),
          ]),
      }),
    ),
    tagId !== undefined && tx.find(Tags, { id: tagId }),
  ]);
  // A tag that was deleted is being taken off its contacts.
  return tag === undefined ? { items: [], nextCursor: null, hasMore: false } : page;
}
