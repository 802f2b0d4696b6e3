import type * as v from 'valibot';
import { type Caller, requireScope } from '#lib/core/caller.ts';
import { fieldObjects } from '#lib/core/choices.ts';
import { badRequest, conflict, type FieldError, invalidField, invalidFields, notFound } from '#lib/core/problem.ts';
import { type Scope, scopeOf } from '#lib/core/scopes.ts';
import {
  type CreateView,
  maxFilterBytes,
  maxViews,
  type PatchView,
  type StoredView,
  type ViewQuery,
  Views,
} from '#lib/entities/view.ts';
import { changedFields } from '#lib/events/changes.ts';
import { listAll, type Page } from '#lib/table/list.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { nounOf } from './nouns.ts';
import { readQuestion } from './question.ts';

type SearchedObject = (typeof fieldObjects)[number];

/** The scopes of all objects, one of which a caller needs to know of any view. */
export const scopesTo = (access: 'read' | 'write'): Scope[] => fieldObjects.map((object) => scopeOf(object, access));

const isVisible = ({ isShared, ownerUserId, ownerKeyId }: StoredView, { keyId, session }: Caller) =>
  isShared || (session ? session.memberId === ownerUserId : keyId !== null && keyId === ownerKeyId);

/** Returns the view. Raises 404, also where the caller may not see it. */
export async function getView(tx: UnitOfWork, caller: Caller, id: number): Promise<StoredView> {
  const view = await tx.find(Views, { id });
  if (view === undefined || !isVisible(view, caller)) throw notFound('view');
  return view;
}

/** Returns the check of a route that the caller may read or change records of the view's object. Raises 404 and 403. */
export const permitView =
  (access: 'read' | 'write') =>
  async ({ tx, caller, params }: { tx: UnitOfWork; caller: Caller; params: { readonly id: number } }) =>
    requireScope({ scope: scopeOf((await getView(tx, caller, params.id)).object, access) }, caller);

/** Returns one page of the views that the caller may see, newest first. */
export async function listViews(
  tx: UnitOfWork,
  caller: Caller,
  { object: objects = [...fieldObjects], after = Number.POSITIVE_INFINITY, limit }: v.InferOutput<typeof ViewQuery>,
): Promise<Page<StoredView>> {
  const found = (await listAll(tx, Views))
    .filter((view) => view.id < after && (objects as string[]).includes(view.object) && isVisible(view, caller))
    .filter((view) => caller.scopes.includes(scopeOf(view.object, 'read')))
    .sort((a, b) => b.id - a.id);
  const items = found.slice(0, limit);
  const hasMore = found.length > items.length;
  return { items, hasMore, nextCursor: hasMore ? (items.at(-1)?.id ?? null) : null };
}

/** A new view of the caller's. Raises 400 for what a search would refuse, 409 above the limit. */
export async function createView(
  tx: UnitOfWork,
  caller: Caller,
  { filter = null, sort = [], columns = [], isShared = false, ...input }: v.InferOutput<typeof CreateView>,
): Promise<StoredView> {
  const [all] = await Promise.all([listAll(tx, Views), requireFits(tx, { ...input, filter, sort, columns })]);
  // Private views of others are no reason that the caller could remove.
  if (all.filter((view) => isVisible(view, caller)).length >= maxViews)
    throw conflict('limit_reached', `you see ${maxViews} views, your own and shared ones: delete one first`, {
      limit: maxViews,
    });
  const { keyId, session } = caller;
  return tx.create(Views, {
    ...input,
    id: await tx.nextId(Views),
    filter,
    sort,
    columns,
    isShared,
    ownerUserId: session?.memberId ?? null,
    ownerKeyId: session ? null : keyId,
    createdAt: tx.now,
    updatedAt: null,
  });
}

/** Changes the given fields. Raises 404, and 400 for what a search would refuse. */
export async function patchView(
  tx: UnitOfWork,
  caller: Caller,
  id: number,
  patch: v.InferOutput<typeof PatchView>,
): Promise<StoredView> {
  const view = await getView(tx, caller, id);
  if (changedFields(view, patch).length === 0) return view;
  const next = { ...view, ...patch, updatedAt: tx.now } as StoredView;
  await requireFits(tx, next);
  return tx.update(Views, next);
}

/** Deletes a view. Raises 404. */
export async function deleteView(tx: UnitOfWork, caller: Caller, id: number): Promise<{ id: number; deleted: true }> {
  tx.delete(Views, await getView(tx, caller, id));
  return { id, deleted: true };
}

type Contents = Pick<StoredView, 'object' | 'filter' | 'sort' | 'columns'>;

/** Raises 400 with the path of each field that the object does not have, or that a filter or an order cannot take. */
async function requireFits(tx: UnitOfWork, contents: Contents): Promise<void> {
  if (Buffer.byteLength(JSON.stringify(contents.filter)) > maxFilterBytes)
    throw invalidField('filter', 'too_long', `filter must have at most ${maxFilterBytes} bytes of JSON`);
  const { wrong } = await faultsOf(tx, contents);
  if (wrong.length > 0) throw invalidFields(wrong);
}

/** Returns what is wrong with a view, and the name of the first field that the object does not have. */
async function faultsOf(tx: UnitOfWork, { object, filter, sort, columns }: Contents) {
  const filters = filter === null ? [] : [filter];
  const asked = { filters, sort, columns, at: tx.now };
  const { wrong, fieldOf } = await readQuestion(tx, nounOf(object as SearchedObject), asked);
  const unknown = columns.flatMap((name, index): FieldError[] => {
    const field = `columns[${index}]`;
    if (fieldOf(name) !== undefined) return [];
    return [{ field, code: 'unknown_reference', message: `${field} names no field of ${object}` }];
  });
  const named = [...filters.flatMap(namesIn), ...sort.map(({ field }) => field), ...columns];
  return { wrong: [...wrong, ...unknown], gone: named.find((name) => fieldOf(name) === undefined) ?? null };
}

/** Returns the names of the fields that the conditions of a filter ask. */
function namesIn(filter: unknown): string[] {
  if (typeof filter !== 'object' || filter === null) return [];
  const { field, and, or, not } = filter as Record<string, unknown>;
  return typeof field === 'string' ? [field] : [and, or, not].flat().flatMap(namesIn);
}

/** Returns the view of a search of an object. Raises 400: `unknown_reference` for none that the caller sees, `view_invalid` for one whose fields are gone. */
export async function viewFor(tx: UnitOfWork, caller: Caller, object: SearchedObject, id: number): Promise<StoredView> {
  const view = await tx.find(Views, { id });
  if (view === undefined || view.object !== object || !isVisible(view, caller))
    throw invalidField('viewId', 'unknown_reference', `viewId names no view of ${object}: see GET /v1/views`);
  const { wrong, gone } = await faultsOf(tx, view);
  if (wrong.length === 0) return view;
  const why = gone === null ? wrong[0]?.message : `the field ${gone} is gone`;
  throw badRequest('view_invalid', `view ${id} does not work, because ${why}: change the view`, { field: gone });
}
