import type * as v from 'valibot';
import { listTags } from '#lib/contacts/tags.ts';
import { latest } from '#lib/core/clock.ts';
import { unite } from '#lib/core/metadata.ts';
import { badRequest, conflict, unknownReference } from '#lib/core/problem.ts';
import {
  Contacts,
  type MergeContacts,
  MergedContacts,
  maxCompanies,
  normalize,
  type StoredContact,
} from '#lib/entities/contact.ts';
import { addressesOf, lastAddressIdOf, withAddresses } from '#lib/entities/contact-address.ts';
import { Enrollments } from '#lib/entities/enrollment.ts';
import { namingContacts } from '#lib/entities/naming-contacts.ts';
import { united } from '#lib/entities/references/conversation.ts';
import { moveReferences } from '#lib/entities/references/follow.ts';
import { mergedInto, resolveMerged } from '#lib/entities/references/merged.ts';
import { reachOf, tracesOf, unite as uniteReach } from '#lib/entities/references/reach.ts';
import { Tags } from '#lib/entities/tag.ts';
import { entryKey, entryRowsIn } from '#lib/table/entity.ts';
import { listPage } from '#lib/table/list.ts';
import type { SagaKind } from '#lib/table/saga.ts';
import { leaveSaga, startSaga } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { freeValues, unitedValues } from '#lib/workspaces/value-changes.ts';
import { requireRoom } from './addresses.ts';
import { countInTags } from './archive.ts';
import { comparison } from './lookup.ts';
import { mergeNotes } from './merge-notes.ts';
import { getStoredContact, type ShownContact, withTags } from './read.ts';
import { startRename } from './rename.ts';
import { removeTagEntries } from './tags-of-gone.ts';
import { writeNote } from './timeline.ts';
import { contactValues, saveContact } from './write.ts';

/**
 * Makes one contact of two: the target keeps what it has, takes what it lacks and everything that names the source, which is gone
 * with the same commit; what it does not take is kept in a note. Rows follow before the answer, or by way of the saga. Emits
 * contact.merged, and contact.note_added for each note. Raises 404 for the target, 400 for the source, 409 for different platforms and
 * more addresses than one may have.
 */
export async function mergeContacts(
  tx: UnitOfWork,
  targetId: number,
  { sourceContactId: sourceId }: v.InferOutput<typeof MergeContacts>,
): Promise<ShownContact> {
  const [target, found] = await Promise.all([
    getStoredContact(tx, targetId),
    tx.find(Contacts, { id: sourceId }),
    listTags(tx),
  ]);
  if (sourceId === targetId)
    throw badRequest(
      'same_contact',
      `contact ${targetId} cannot be merged into itself: name another one in sourceContactId`,
    );
  if (found === undefined) throw unknownReference('sourceContactId');
  if (found.platform !== target.platform)
    throw conflict(
      'platform_mismatch',
      `contact ${targetId} is on ${target.platform}, contact ${sourceId} on ${found.platform}: merge only contacts of one platform`,
    );
  // An archived source no longer holds its unique values, and is not counted in its tags.
  const source = found.archive ? await freeValues(tx, contactValues, found, { heirId: targetId }) : found;
  if (found.archive) await countInTags(tx, found, 1);
  const dictionary = await listTags(tx, { with: [...target.tagIds, ...source.tagIds] });
  const known = new Set(dictionary.map(({ id }) => id));
  const { metadata, left } = unite(target.metadata, source.metadata);
  const reaches = [await reachOf(tx, target), await reachOf(tx, source)] as const;
  const reach = uniteReach(...reaches);
  const conversation = united(target.conversation, source.conversation);
  const merged = saveContact(tx, {
    ...(await unitedAddresses(tx, unitedFields(target, source, known), target, source)),
    ...{ metadata, reach },
    ...(conversation && { conversation }),
  });
  for (const text of mergeNotes('contact', target, source, dropped, left)) await writeNote(tx, targetId, text);
  tx.delete(Contacts, source);
  // A contact may have more tags than one transaction takes.
  for (const contact of [target, source]) tx.leaveEntries(Contacts, contact, 'tag');
  tx.create(MergedContacts, {
    ...{ id: sourceId, into: targetId, traces: tracesOf(source, reaches[1]) },
    handle: otherHandle(merged, source),
  });
  if (merged.name !== target.name) startRename(tx, merged);
  startSaga(tx, merging, {
    from: sourceId,
    to: targetId,
    tagIds: source.tagIds,
    sharedTagIds: source.tagIds.filter((id) => target.tagIds.includes(id)),
    next: null,
    isEnrolled: await isInSequence(tx, sourceId),
  });
  tx.emit({
    kind: 'contact.merged',
    subject: `contact/${targetId}`,
    data: { contact_id: String(targetId), source_contact_id: String(sourceId), actor: tx.eventActor },
  });
  return withTags(merged, dictionary);
}

type Merging = {
  from: number;
  to: number;
  /** Tags of the source whose entries are not moved yet. */
  tagIds: number[];
  /** Tags that both contacts had. */
  sharedTagIds: number[];
  next: string | null;
  /** Somebody may be twice in a sequence then. */
  isEnrolled: boolean;
};

/** Lets the tags and the rows of a merged contact follow it. No new row can appear, because whoever writes one requires its contact. */
export const merging: SagaKind<Merging, 'merge'> = {
  name: 'merge',
  async step(tx, state) {
    const { from, to, next, isEnrolled } = state;
    const target = await resolveMerged(tx, to);
    if (target) tx.requireUnchanged(Contacts, target);
    const tagIds = await moveTags(tx, state, target);
    if (tagIds.length > 0) return { ...state, tagIds };
    // A contact whose erasure has begun takes along what is still to come (lib/privacy/erasure/merged.ts).
    const into = target ?? { id: await mergedInto(tx, to), name: null };
    const left = await moveReferences(tx, Contacts, namingContacts, from, into, next);
    if (left !== undefined) return { ...state, to: into.id, tagIds, next: left };
    if (isEnrolled) leaveSaga(tx, 'duplicate-enrollments', { contactId: into.id, left: null });
    return undefined;
  },
};

/** Counts once what both had, and finds the target by what it has got. Returns the tags that are left. */
async function moveTags(
  tx: UnitOfWork,
  { from, to, tagIds, sharedTagIds }: Merging,
  target: StoredContact | undefined,
): Promise<number[]> {
  const { tags, left } = await removeTagEntries(tx, from, tagIds);
  const entries = target === undefined ? [] : entryRowsIn(tx.tenant, Contacts, 'tag', target);
  for (const { id } of tags) {
    if (sharedTagIds.includes(id)) tx.add(Tags, { id }, { contactCount: -1 });
    else {
      const { pk } = entryKey(tx.tenant, Contacts, { tag: id }, to);
      const entry = entries.find((one) => one.pk === pk);
      if (entry === undefined) continue;
      tx.requireExists(Tags, { id });
      tx.write({ key: { pk, sk: entry.sk }, item: entry });
    }
  }
  if (target === undefined) return left;
  // Deleting a tag finds its contacts by their entries.
  const gone = tagIds.filter((id) => !left.includes(id) && !tags.some((tag) => tag.id === id));
  const tagIdsLeft = target.tagIds.filter((id) => !gone.includes(id));
  if (tagIdsLeft.length < target.tagIds.length) tx.update(Contacts, { ...target, tagIds: tagIdsLeft });
  return left;
}

const isInSequence = async (tx: UnitOfWork, id: number): Promise<boolean> =>
  (await listPage(tx, Enrollments, { where: { running: id }, limit: 1 })).items.length > 0;

function unitedFields(target: StoredContact, source: StoredContact, known: ReadonlySet<number>): StoredContact {
  const takesScore = target.leadScore === null && source.leadScore !== null;
  return {
    ...target,
    ...unitedValues(target, source),
    name: target.name ?? source.name,
    username: target.username ?? source.username,
    ...unitedCompanies(target, source),
    notes: target.notes ?? source.notes,
    leadScore: target.leadScore ?? source.leadScore,
    leadScoreIsAi: takesScore ? source.leadScoreIsAi : target.leadScoreIsAi,
    assignedToUserId: target.assignedToUserId ?? source.assignedToUserId,
    identities: { ...source.identities, ...target.identities },
    lastMessageAt: latest(target.lastMessageAt, source.lastMessageAt),
    hasUnreadMessages: target.hasUnreadMessages || source.hasUnreadMessages,
    tagIds: [...new Set([...target.tagIds, ...source.tagIds.filter((id) => known.has(id))])],
  };
}

/** Returns the contact with the addresses of both, each once; the target's primary ones stay. Raises 409 for more than it may have. */
async function unitedAddresses(
  tx: UnitOfWork,
  united: StoredContact,
  target: StoredContact,
  source: StoredContact,
): Promise<StoredContact> {
  const own = addressesOf(target);
  const others = addressesOf(source);
  if (others.length === 0) return united;
  const normal = await comparison(tx, others);
  const keyOf = ({ kind, value }: (typeof own)[number]) => `${kind}=${normal(kind, value)}`;
  const known = new Set(own.map(keyOf));
  const lastId = lastAddressIdOf(target);
  const added = others
    .filter((address) => !known.has(keyOf(address)))
    .map((address, index) => ({ ...address, id: lastId + 1 + index }));
  requireRoom(own.length + added.length);
  return withAddresses(united, [...own, ...added], {
    email: target.email ?? source.email,
    phone: target.phone ?? source.phone,
  });
}

/** Returns the companies of both. The target's own primary one or text stays what `company` shows. Raises 409 `limit_reached`. */
function unitedCompanies(
  target: StoredContact,
  source: StoredContact,
): Pick<StoredContact, 'company' | 'companyLinks'> {
  const own = target.companyLinks ?? [];
  const known = new Set(own.map(({ companyId }) => companyId));
  const links = [...own, ...(source.companyLinks ?? []).filter(({ companyId }) => !known.has(companyId))];
  if (links.length > maxCompanies)
    throw conflict(
      'limit_reached',
      `the contacts have more than ${maxCompanies} companies together: remove some first`,
      {
        limit: maxCompanies,
      },
    );
  const primary = (target.company === null ? source : target).companyLinks?.find(({ isPrimary }) => isPrimary);
  const companyLinks = links.map((link) => ({ ...link, isPrimary: link.companyId === primary?.companyId }));
  return { companyLinks, company: target.company ?? source.company };
}

const dropped = ['username', 'company', 'notes'] as const;

/** The username that the source had and the target has not. */
function otherHandle({ username }: StoredContact, { platform, username: former }: StoredContact) {
  if (username === null || former === null || normalize.username(username) === normalize.username(former))
    return undefined;
  return { platform, username: normalize.username(former) };
}
