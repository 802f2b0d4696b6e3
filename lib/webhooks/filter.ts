import { fieldObjects } from '#lib/core/choices.ts';
import { unknownReference } from '#lib/core/problem.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { Contacts } from '#lib/entities/contact.ts';
import type { FeedEvent } from '#lib/entities/feed-event.ts';
import { resolveMerged } from '#lib/entities/references/merged.ts';
import { Tags } from '#lib/entities/tag.ts';
import {
  type EndpointFilter,
  Endpoints,
  type SetEndpointFilter,
  type StoredEndpoint,
  slugIn,
} from '#lib/entities/webhook.ts';
import { listAll } from '#lib/table/list.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { fieldsOf } from '#lib/workspaces/fields.ts';

/**
 * Returns the filter after a change: null removes a condition, and a filter without conditions is null. Raises 400 for a tag or a
 * custom field that does not exist.
 */
export async function changeFilter(
  tx: UnitOfWork,
  before: EndpointFilter | null,
  given: SetEndpointFilter | null,
): Promise<EndpointFilter | null> {
  if (given === null) return null;
  await Promise.all([requireTags(tx, given.contactTagIds ?? []), requireFields(tx, given.changedFields ?? [])]);
  const { changedFields, channels, contactTagIds } = { ...before, ...given };
  const filter = {
    ...(changedFields && { changedFields: unique(changedFields) }),
    ...(channels && { channels: unique(channels) }),
    ...(contactTagIds && { contactTagIds: unique(contactTagIds) }),
  };
  return Object.keys(filter).length === 0 ? null : filter;
}

const unique = <Value>(values: readonly Value[]): Value[] => [...new Set(values)];

async function requireTags(tx: UnitOfWork, ids: readonly number[]): Promise<void> {
  const tags = await tx.findAll(
    Tags,
    unique(ids).map((id) => ({ id })),
  );
  for (const [index, id] of ids.entries()) {
    if (!tags.some((tag) => tag.id === id)) throw unknownReference(`filter.contactTagIds[${index}]`);
    tx.requireExists(Tags, { id });
  }
}

/** Raises 400 for the slug of a custom field that no object has. */
async function requireFields(tx: UnitOfWork, names: readonly string[]): Promise<void> {
  if (names.every((name) => slugIn(name) === undefined)) return;
  const fields = (await Promise.all(fieldObjects.map((object) => fieldsOf(tx, object)))).flat();
  const slugs = fields.flatMap(({ slug, isArchived }) => (isArchived ? [] : [slug]));
  for (const [index, name] of names.entries()) {
    const slug = slugIn(name);
    if (slug !== undefined && !slugs.includes(slug)) throw unknownReference(`filter.changedFields[${index}]`);
  }
}

/** Removes a deleted tag from the filters. A filter that named only this tag lets no event of a contact through: it never gets wider. */
export async function forgetTag(tx: UnitOfWork, tagId: number): Promise<void> {
  for (const endpoint of await listAll(tx, Endpoints)) {
    const { filter } = endpoint;
    if (!filter?.contactTagIds?.includes(tagId)) continue;
    const contactTagIds = filter.contactTagIds.filter((id) => id !== tagId);
    tx.update(Endpoints, { ...endpoint, filter: { ...filter, contactTagIds }, updatedAt: tx.now });
  }
}

/** Returns the events that pass an endpoint's filter, without its condition on tags of contacts. */
export function applyFilter({ filter }: StoredEndpoint, events: readonly FeedEvent[]): readonly FeedEvent[] {
  if (!filter?.changedFields && !filter?.channels) return events;
  const { changedFields, channels } = filter;
  return events.filter((event) => {
    const { changes, changed = changes && Object.keys(changes), channel } = dataOf(event);
    return (
      (!changed || !changedFields || changed.some((field) => changedFields.includes(field))) &&
      (!channel || !channels || channels.some((one) => one === channel))
    );
  });
}

/** The tags of contacts, by their ids. */
export type TagsByContact = ReadonlyMap<string, readonly number[]>;

/** Returns the events whose contacts have one of the tags, and those without a contact. */
export function filterByTags(ids: readonly number[], events: readonly FeedEvent[], tags: TagsByContact): FeedEvent[] {
  return events.filter((event) => {
    const contactId = contactOf(event);
    return !contactId || tags.get(contactId)?.some((id) => ids.includes(id));
  });
}

/** A contact behind more merges has no tags, so that other tenants' events do not wait. */
const maxMerges = 10;

/** Reads the tags that the contacts of events have now. A merged contact has the tags of the contact that it became. */
export async function tagsOfContacts(tenant: Tenant, events: Iterable<FeedEvent>): Promise<TagsByContact> {
  const tx = new UnitOfWork(tenant, system);
  const ids = unique([...events].flatMap((event) => contactOf(event) ?? []));
  const contacts = await tx.findAll(
    Contacts,
    ids.map((id) => ({ id: Number(id) })),
  );
  const tags = new Map(contacts.map(({ id, tagIds }) => [String(id), tagIds]));
  const gone = ids.filter((id) => !tags.has(id));
  await Promise.all(
    gone.map(async (id) => tags.set(id, (await resolveMerged(tx, Number(id), maxMerges))?.tagIds ?? [])),
  );
  return tags;
}

const contactOf = (event: FeedEvent): string | null | undefined => dataOf(event).contact_id;

interface Data {
  contact_id?: string | null;
  channel?: string;
  changed?: readonly string[];
  changes?: object;
}

const parsed = new WeakMap<FeedEvent, Data>();

/** Returns the data of an event, parsed once for all endpoints. */
function dataOf(event: FeedEvent): Data {
  const data = parsed.get(event) ?? (JSON.parse(event.body) as { data: Data }).data;
  parsed.set(event, data);
  return data;
}
