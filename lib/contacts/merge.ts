import type * as v from 'valibot';
import { badRequest, conflict, notFound, unknownReference } from '#lib/problem.ts';
import { type PlanKind, startPlan } from '#lib/table/plan.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { listTags } from '#lib/tags/store.ts';
import { Tags } from '#lib/tags/tag.ts';
import { Contacts, type MergeContacts, MergedContacts, type StoredContact } from './contact.ts';
import { followers } from './followers.ts';
import { renameFollowers } from './rename.ts';
import { getStoredContact, removeContact, type ShownContact, saveContact, withTags } from './store.ts';
import { findSurvivor } from './survivor.ts';

/**
 * Makes one contact of two: the target keeps what it has, takes what it lacks and everything that names the source, which is gone
 * with the same commit. Rows follow before the answer, or by way of the plan. Emits contact.merged. Raises 404 for the target,
 * 400 for the source, 409 for different platforms.
 */
export async function mergeContacts(
  tx: Transaction,
  targetId: number,
  { sourceContactId: sourceId }: v.InferOutput<typeof MergeContacts>,
): Promise<ShownContact> {
  const [target, source] = await Promise.all([
    getStoredContact(tx, targetId),
    tx.find(Contacts, { id: sourceId }),
    listTags(tx),
  ]);
  if (sourceId === targetId) throw badRequest('same_contact', 'a contact cannot be merged into itself');
  if (source === undefined) throw unknownReference('sourceContactId');
  if (source.platform !== target.platform)
    throw conflict('platform_mismatch', 'only contacts of the same platform can be merged');
  const dictionary = await listTags(tx, { with: [...target.tagIds, ...source.tagIds] });
  const known = new Set(dictionary.map(({ id }) => id));
  for (const id of source.tagIds.filter((tagId) => known.has(tagId))) {
    if (target.tagIds.includes(id)) tx.add(Tags, { id }, { contactCount: -1 });
    else tx.demand(Tags, { id });
  }
  const merged = saveContact(tx, target, united(target, source, known));
  removeContact(tx, source);
  tx.create(MergedContacts, { id: sourceId, into: targetId });
  if (merged.name !== target.name) renameFollowers(tx, merged);
  startPlan(tx, merging, { from: sourceId, to: targetId, next: 0 });
  tx.emit({
    kind: 'contact.merged',
    subject: `contact/${targetId}`,
    data: { contact_id: String(targetId), source_contact_id: String(sourceId), actor: tx.eventActor },
  });
  return withTags(merged, dictionary);
}

/** Lets the rows of a merged contact follow it. No new one can appear, because whoever writes one demands its contact. */
export const merging: PlanKind<{ from: number; to: number; next: number }> = {
  name: 'merge',
  async step(tx, { from, to, next }) {
    const target = await findSurvivor(tx, to);
    if (!target) throw notFound('contact');
    tx.demandUnchanged(Contacts, target);
    for (const [index, follower] of followers.entries()) {
      // Those before have nothing left, and nothing can be added to them.
      if (index < next) continue;
      if (await follower.move(tx, from, target)) return { from, to: target.id, next: index };
    }
    return undefined;
  },
};

function united(target: StoredContact, source: StoredContact, known: ReadonlySet<number>): StoredContact {
  const takesScore = target.leadScore === null && source.leadScore !== null;
  return {
    ...target,
    name: target.name ?? source.name,
    username: target.username ?? source.username,
    phone: target.phone ?? source.phone,
    email: target.email ?? source.email,
    company: target.company ?? source.company,
    notes: target.notes ?? source.notes,
    leadScore: target.leadScore ?? source.leadScore,
    leadScoreIsAi: takesScore ? source.leadScoreIsAi : target.leadScoreIsAi,
    assignedToUserId: target.assignedToUserId ?? source.assignedToUserId,
    telegramUserId: target.telegramUserId ?? source.telegramUserId,
    twitterUserId: target.twitterUserId ?? source.twitterUserId,
    lastMessageAt: latest(target.lastMessageAt, source.lastMessageAt),
    hasUnreadMessages: target.hasUnreadMessages || source.hasUnreadMessages,
    tagIds: [...new Set([...target.tagIds, ...source.tagIds.filter((id) => known.has(id))])],
    metadata: unitedMetadata(target.metadata, source.metadata),
  };
}

const latest = (a: string | null, b: string | null) => (a !== null && b !== null && a > b ? a : (b ?? a));

const maxPairs = 50;

/** As many pairs of the source as fit; the target's own go first. */
const unitedMetadata = (target: Record<string, string>, source: Record<string, string>) =>
  Object.fromEntries(Object.entries({ ...target, ...source, ...target }).slice(0, maxPairs));
