import { isDeepStrictEqual } from 'node:util';
import type * as v from 'valibot';
import { unlessUnreadable } from '#lib/aws/secrets.ts';
import { now } from '#lib/core/clock.ts';
import { invalidField, notFound } from '#lib/core/problem.ts';
import {
  type CreateEndpoint,
  type Endpoint,
  type EndpointQuery,
  Endpoints,
  type EndpointWithSecret,
  everyKind,
  maxHeaders,
  type PatchEndpoint,
  type RotatedSecret,
  type StoredEndpoint,
} from '#lib/entities/webhook.ts';
import { Dispatches } from '#lib/entities/webhook-dispatch.ts';
import { type Health, Healths } from '#lib/entities/webhook-health.ts';
import { changedFields } from '#lib/events/changes.ts';
import { listAll, listPage, type Page } from '#lib/table/list.ts';
import { listingFrom } from '#lib/table/listing.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { dispatchSoon, newDispatch } from './dispatch.ts';
import { changeFilter } from './filter.ts';
import { newHealth, pausedUntil, statusOf, withoutFailures } from './health.ts';
import { sendWaiting } from './pause.ts';
import {
  currentSecret,
  findRegistry,
  getRegistry,
  newSigning,
  register,
  rotate,
  rotated,
  sealHeaders,
  unregister,
} from './registry.ts';
import { deliverableUrl } from './url.ts';

type EndpointView = v.InferOutput<typeof Endpoint>;

/** Returns the endpoint as stored. Raises 404. */
export const getStoredEndpoint = (tx: UnitOfWork, id: number): Promise<StoredEndpoint> =>
  tx.get(Endpoints, { id }, () => notFound('webhook endpoint'));

/** Returns the endpoint with its health. Raises 404. */
export async function getEndpoint(tx: UnitOfWork, id: number): Promise<EndpointView> {
  const [endpoint, health, registry] = await Promise.all([
    getStoredEndpoint(tx, id),
    tx.find(Healths, { id }),
    findRegistry(tx),
  ]);
  return toView(endpoint, health, registry?.secretHint);
}

/** Returns a page of endpoints in descending order of id. */
export async function listEndpoints(
  tx: UnitOfWork,
  query: v.InferOutput<typeof EndpointQuery>,
): Promise<Page<EndpointView>> {
  const [page, healths, registry] = await Promise.all([
    listPage(
      tx,
      Endpoints,
      listingFrom(Endpoints, query, {
        isActive: (isActive) => ({ matches: (endpoint) => endpoint.isActive === isActive }),
      }),
    ),
    listAll(tx, Healths),
    findRegistry(tx),
  ]);
  const healthOf = (endpointId: number) => healths.find(({ id }) => id === endpointId);
  return { ...page, items: page.items.map((one) => toView(one, healthOf(one.id), registry?.secretHint)) };
}

/**
 * Registers an endpoint; the first one of a tenant makes its secret. Raises 400 for a url that must not be sent to or a tag that is not
 * there, 409 when the url is taken or there are too many. Needs the key.
 */
export async function createEndpoint(
  tx: UnitOfWork,
  input: v.InferOutput<typeof CreateEndpoint>,
): Promise<v.InferOutput<typeof EndpointWithSecret>> {
  const url = await deliverableUrl(input.url, tx.tenant.env);
  const filter = await changeFilter(tx, null, input.filter ?? null);
  const headers = await changeHeaders(tx, [], input.headers);
  const signing = input.ownSecret ? await newSigning(tx.tenant) : null;
  const id = await tx.nextId(Endpoints);
  const registry = await register(tx, { id, url });
  const endpoint = tx.create(Endpoints, {
    id,
    url,
    description: input.description ?? null,
    eventKinds: normalizeKinds(input.eventKinds),
    filter,
    headers,
    signing,
    isActive: true,
    registeredAtMs: now(),
    createdAt: tx.now,
    updatedAt: null,
  });
  const health = tx.create(Healths, newHealth(id));
  tx.create(Dispatches, newDispatch(id));
  if (signing) return { ...toView(endpoint, health), secret: await currentSecret(tx.tenant, signing) };
  const secret = await unlessUnreadable(currentSecret(tx.tenant, registry));
  // Nobody can sign with it any more.
  const own = secret === undefined ? await rotate(tx, 0) : registry;
  return {
    ...toView(endpoint, health, own.secretHint),
    secret: secret ?? (await currentSecret(tx.tenant, own)),
  };
}

type Headers = StoredEndpoint['headers'];

/** Returns the headers with those of a change, whose case of a name does not matter; null removes one, or all. Raises 400 for too many. */
async function changeHeaders(
  tx: UnitOfWork,
  before: Headers,
  change: Readonly<Record<string, string | null>> | null = {},
): Promise<Headers> {
  if (change === null) return [];
  const all = [...before, ...(await sealHeaders(tx.tenant, change))];
  const last = new Map(all.map((header) => [header.name.toLowerCase(), header]));
  const headers = [...last.values()].flatMap(({ name, value }) => (value === null ? [] : [{ name, value }]));
  if (headers.length > maxHeaders)
    throw invalidField('headers', 'too_many', `an endpoint has at most ${maxHeaders} headers`);
  return headers;
}

/** Changes the given fields, and the given conditions of the filter; `isActive: true` or another url forgets failures. Raises 400 and 409 as the creation does. */
export async function patchEndpoint(
  tx: UnitOfWork,
  id: number,
  patch: v.InferOutput<typeof PatchEndpoint>,
): Promise<EndpointView> {
  const [endpoint, health, registry] = await Promise.all([
    getStoredEndpoint(tx, id),
    tx.find(Healths, { id }),
    getRegistry(tx),
  ]);
  const wanted = {
    ...patch,
    ...(patch.eventKinds && { eventKinds: normalizeKinds(patch.eventKinds) }),
    ...(patch.filter !== undefined && { filter: await changeFilter(tx, endpoint.filter, patch.filter) }),
    ...(patch.headers !== undefined && { headers: await changeHeaders(tx, endpoint.headers, patch.headers) }),
    ...(patch.url !== undefined &&
      patch.url !== endpoint.url && { url: await deliverableUrl(patch.url, tx.tenant.env) }),
  };
  const changed = changedFields(endpoint, wanted).filter((field) => !isDeepStrictEqual(endpoint[field], wanted[field]));
  const isReset =
    (patch.isActive === true || changed.includes('url')) && health !== undefined && health.consecutiveFailures > 0;
  // One that an import has brought may be none of those that are known.
  const isNew = patch.isActive === true && !registry.endpoints.some((known) => known.id === id);
  if (changed.includes('url') || isNew)
    await register(tx, { id, url: wanted.url ?? (await deliverableUrl(endpoint.url, tx.tenant.env)) });
  // The worker reads the endpoint again: to use the new url, to skip pending deliveries, or because no event may start it any more.
  if (isReset || changed.some((field) => field !== 'description')) await dispatchSoon(tx, id, { notBefore: null });
  const next = isReset ? tx.update(Healths, withoutFailures(health)) : health;
  if (changed.length === 0 && !isReset) return toView(endpoint, next, registry.secretHint);
  const values = Object.fromEntries(changed.map((field) => [field, wanted[field] ?? null]));
  const after = tx.update(Endpoints, { ...endpoint, ...values, updatedAt: tx.now } as StoredEndpoint);
  return toView(after, next, registry.secretHint);
}

/** Ends the pause of an endpoint, and sends what waits for it. Raises 404. */
export async function resumeEndpoint(tx: UnitOfWork, id: number): Promise<EndpointView> {
  const [endpoint, health, registry] = await Promise.all([
    getStoredEndpoint(tx, id),
    tx.find(Healths, { id }),
    findRegistry(tx),
  ]);
  const next = health && (await sendWaiting(tx, health));
  return toView(endpoint, next, registry?.secretHint);
}

/** Removes an endpoint; its worker drops what is pending. Raises 404. */
export async function deleteEndpoint(tx: UnitOfWork, id: number) {
  const endpoint = await getStoredEndpoint(tx, id);
  await Promise.all([unregister(tx, id), dispatchSoon(tx, id, { notBefore: null })]);
  tx.delete(Endpoints, endpoint);
  return { id, deleted: true as const };
}

/** Returns the event kinds of all endpoints that share the one secret. */
export const signedKinds = async (tx: UnitOfWork): Promise<string[]> =>
  (await listAll(tx, Endpoints)).flatMap(({ eventKinds, signing }) => (signing ? [] : eventKinds));

/** Returns the event kinds that are signed as an endpoint's are. Raises 404. */
export async function kindsSignedAs(tx: UnitOfWork, id: number): Promise<string[]> {
  const { signing, eventKinds } = await getStoredEndpoint(tx, id);
  return signing ? eventKinds : signedKinds(tx);
}

/** Replaces the secret of an endpoint that has its own, else the one of all others. Raises 404. Needs the key. */
export async function rotateSecret(
  tx: UnitOfWork,
  id: number,
  graceMinutes: number,
): Promise<v.InferOutput<typeof RotatedSecret>> {
  const endpoint = await getStoredEndpoint(tx, id);
  const { signing } = endpoint;
  if (signing) {
    const own = await rotated(tx, signing, graceMinutes);
    tx.update(Endpoints, { ...endpoint, signing: own });
    return { ...own, secret: await currentSecret(tx.tenant, own), endpointIds: [id] };
  }
  const [registry, endpoints] = await Promise.all([rotate(tx, graceMinutes), listAll(tx, Endpoints)]);
  const apart = new Set(endpoints.flatMap((one) => (one.signing ? [one.id] : [])));
  return {
    secret: await currentSecret(tx.tenant, registry),
    secretHint: registry.secretHint,
    previousValidUntil: registry.previousValidUntil,
    endpointIds: registry.endpoints
      .map((one) => one.id)
      .filter((one) => !apart.has(one))
      .sort((a, b) => a - b),
  };
}

function toView(endpoint: StoredEndpoint, health: Health = newHealth(endpoint.id), secretHint = ''): EndpointView {
  const { consecutiveFailures, lastDeliveryAt, lastSuccessAt } = health;
  return {
    ...endpoint,
    headers: endpoint.headers.map(({ name }) => name),
    ownSecret: endpoint.signing !== null,
    status: statusOf(endpoint.isActive, health),
    consecutiveFailures,
    lastDeliveryAt,
    lastSuccessAt,
    pausedUntil: pausedUntil(health),
    secretHint: endpoint.signing?.secretHint ?? secretHint,
  };
}

const normalizeKinds = (kinds: StoredEndpoint['eventKinds'] = [everyKind]): StoredEndpoint['eventKinds'] =>
  kinds.includes(everyKind) ? [everyKind] : [...new Set(kinds)];
