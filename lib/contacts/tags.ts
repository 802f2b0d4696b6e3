import type * as v from 'valibot';
import { oncePer } from '#lib/core/async.ts';
import { conflict, notFound } from '#lib/core/problem.ts';
import {
  byName,
  type CreateTag,
  defaultColor,
  maxTags,
  type PatchTag,
  type StoredTag,
  sameName,
  TagCounts,
  TagNames,
  Tags,
} from '#lib/entities/tag.ts';
import { listAll } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

const once = oncePer<UnitOfWork, StoredTag[]>();

/**
 * The whole dictionary by name, with what the unit of work has changed in it. It is read once, perhaps before a contact that has
 * got a new tag since: `with` are ids that are looked up when they are not in it.
 */
export async function listTags(tx: UnitOfWork, { with: ids = [] as readonly number[] } = {}): Promise<StoredTag[]> {
  const read = await once(tx, async () => (await listAll(tx, Tags)).sort(byName));
  const tags = new Map(read.map((tag) => [tag.id, tag]));
  const later = ids.filter((id) => !tags.has(id)).map((id) => ({ id }));
  const found = later.length === 0 ? [] : await tx.findAll(Tags, later);
  for (const tag of [...found, ...tx.written(Tags)]) tags.set(tag.id, tag);
  return [...tags.values()].sort(byName);
}

/** Raises 404. */
export const getTag = (tx: UnitOfWork, id: number): Promise<StoredTag> => tx.get(Tags, { id }, () => notFound('tag'));

/** The tag of that name in any case. */
export async function findTag(tx: UnitOfWork, name: string): Promise<StoredTag | undefined> {
  const wanted = sameName(name);
  return (await listTags(tx)).find((tag) => sameName(tag.name) === wanted);
}

/** A new tag. Raises 409 when the name is taken in any case, or when there are a thousand. */
export async function createTag(tx: UnitOfWork, input: v.InferOutput<typeof CreateTag>): Promise<StoredTag> {
  const [counted] = await Promise.all([
    tx.find(TagCounts, { id: 1 }),
    tx.find(TagNames, { name: sameName(input.name) }),
    tx.reserveIds({ [Tags.name]: 1 }),
  ]);
  const count = counted?.count ?? 0;
  const id = await tx.nextId(Tags);
  await takeName(tx, input.name, id);
  if (count >= maxTags)
    throw conflict('limit_reached', `a workspace has at most ${maxTags} tags: delete one first`, { limit: maxTags });
  if (counted) tx.update(TagCounts, { id: 1, count: count + 1 });
  else tx.create(TagCounts, { id: 1, count: 1 });
  const color = input.color ?? defaultColor(input.name);
  return tx.create(Tags, { id, name: input.name, color, contactCount: 0 });
}

/** Renames or recolours a tag; contacts show it at once. Raises 404, and 409 when the name is taken in any case. */
export async function patchTag(tx: UnitOfWork, id: number, patch: v.InferOutput<typeof PatchTag>): Promise<StoredTag> {
  const tag = await getTag(tx, id);
  const next = { ...tag, name: patch.name ?? tag.name, color: patch.color ?? tag.color };
  if (next.name === tag.name && next.color === tag.color) return tag;
  if (sameName(next.name) !== sameName(tag.name)) {
    await Promise.all([takeName(tx, next.name, id), freeName(tx, tag.name)]);
  }
  return tx.update(Tags, next);
}

/** Takes a tag out of the dictionary; from then on no contact shows it. */
export async function removeTag(tx: UnitOfWork, tag: StoredTag): Promise<void> {
  const [counted] = await Promise.all([tx.find(TagCounts, { id: 1 }), freeName(tx, tag.name)]);
  if (counted) tx.update(TagCounts, { id: 1, count: Math.max(0, counted.count - 1) });
  tx.delete(Tags, tag);
}

async function takeName(tx: UnitOfWork, name: string, tagId: number): Promise<void> {
  const key = sameName(name);
  const taken = await tx.find(TagNames, { name: key });
  if (taken)
    throw conflict('tag_name_taken', `tag ${taken.tagId} has this name: use that tag, or choose another name`, {
      tagId: taken.tagId,
    });
  tx.create(TagNames, { name: key, tagId });
}

async function freeName(tx: UnitOfWork, name: string): Promise<void> {
  const taken = await tx.find(TagNames, { name: sameName(name) });
  if (taken) tx.delete(TagNames, taken);
}
