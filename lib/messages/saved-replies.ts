import type * as v from 'valibot';
import { conflict, invalidField, notFound } from '#lib/core/problem.ts';
import { unknownVariableIn } from '#lib/core/variables.ts';
import {
  type CreateSavedReply,
  maxSavedReplies,
  type PatchSavedReply,
  SavedReplies,
  SavedReplyNames,
  type SavedReplyQuery,
  type StoredSavedReply,
} from '#lib/entities/saved-reply.ts';
import { sameName } from '#lib/entities/tag.ts';
import { changedFields } from '#lib/events/changes.ts';
import { listPage, type Page } from '#lib/table/list.ts';
import { listingFrom } from '#lib/table/listing.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** The saved reply. Raises 404. */
export const getSavedReply = (tx: UnitOfWork, id: number): Promise<StoredSavedReply> =>
  tx.get(SavedReplies, { id }, () => notFound('saved reply'));

/** Saved replies in descending order of id. */
export const listSavedReplies = (
  tx: UnitOfWork,
  query: v.InferOutput<typeof SavedReplyQuery>,
): Promise<Page<StoredSavedReply>> => listPage(tx, SavedReplies, listingFrom(SavedReplies, query, {}));

/** A new saved reply. Raises 409 for a name or shortcut that is taken, and above the limit. */
export async function createSavedReply(
  tx: UnitOfWork,
  { shortcut = null, ...input }: v.InferOutput<typeof CreateSavedReply>,
): Promise<StoredSavedReply> {
  requireVariables(input.text);
  const id = await tx.nextId(SavedReplies);
  await take(tx, id, { id, name: input.name, shortcut });
  return tx.create(SavedReplies, { ...input, id, shortcut, createdAt: tx.now, updatedAt: null });
}

/** Changes the given fields. Raises 404, and 409 for a name or shortcut that is taken. */
export async function patchSavedReply(
  tx: UnitOfWork,
  id: number,
  patch: v.InferOutput<typeof PatchSavedReply>,
): Promise<StoredSavedReply> {
  const reply = await getSavedReply(tx, id);
  const changed = changedFields(reply, patch);
  if (changed.length === 0) return reply;
  const next = { ...reply, ...patch, updatedAt: tx.now } as StoredSavedReply;
  requireVariables(next.text);
  if (changed.some((field) => field !== 'text')) await take(tx, id, next);
  return tx.update(SavedReplies, next);
}

/** Deletes a saved reply; its name and shortcut are free again. Raises 404. */
export async function deleteSavedReply(tx: UnitOfWork, id: number): Promise<{ id: number; deleted: true }> {
  const reply = await getSavedReply(tx, id);
  await take(tx, id);
  tx.delete(SavedReplies, reply);
  return { id, deleted: true };
}

/** Gives a reply the name and shortcut of `next`, in the place of those it has. */
async function take(
  tx: UnitOfWork,
  id: number,
  next?: Pick<StoredSavedReply, 'id' | 'name' | 'shortcut'>,
): Promise<void> {
  const book = await tx.find(SavedReplyNames, { id: 1 });
  const others = book?.taken.filter((one) => one.id !== id) ?? [];
  if (next) requireFree(others, { name: sameName(next.name), shortcut: next.shortcut });
  const own = next ? [{ id, name: sameName(next.name), shortcut: next.shortcut }] : [];
  const row = { id: 1 as const, taken: [...others, ...own] };
  if (book) tx.update(SavedReplyNames, row);
  else tx.create(SavedReplyNames, row);
}

function requireFree(
  others: readonly Pick<StoredSavedReply, 'id' | 'name' | 'shortcut'>[],
  { name, shortcut }: Pick<StoredSavedReply, 'name' | 'shortcut'>,
): void {
  const named = others.find((one) => one.name === name);
  if (named)
    throw conflict('saved_reply_name_taken', `saved reply ${named.id} has this name: choose another name`, {
      savedReplyId: named.id,
    });
  const short = shortcut === null ? undefined : others.find((one) => one.shortcut === shortcut);
  if (short)
    throw conflict('saved_reply_shortcut_taken', `saved reply ${short.id} has this shortcut: choose another shortcut`, {
      savedReplyId: short.id,
    });
  if (others.length >= maxSavedReplies)
    throw conflict('limit_reached', `an environment has at most ${maxSavedReplies} saved replies: delete one first`, {
      limit: maxSavedReplies,
    });
}

/** Raises 400 for a variable that there is none of. */
function requireVariables(text: string): void {
  const unknown = unknownVariableIn(text);
  if (unknown !== undefined)
    throw invalidField('text', 'invalid_format', `text has the unknown variable {{${unknown}}}`);
}
