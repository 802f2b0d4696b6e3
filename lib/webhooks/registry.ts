import { decrypt, encrypt, unlessUnreadable } from '#lib/aws/secrets.ts';
import { minuteMs, shifted } from '#lib/core/clock.ts';
import { conflict } from '#lib/core/problem.ts';
import { type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { maxEndpoints, Registries, type Registry } from '#lib/entities/webhook-registry.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { newSecret } from './sign.ts';

const hintLength = 4;

/** Returns the tenant's registry, or undefined before the first endpoint. */
export const findRegistry = (tx: UnitOfWork): Promise<Registry | undefined> => tx.find(Registries, { id: 1 });

/** Returns the registry of a tenant that has an endpoint. */
export const getRegistry = (tx: UnitOfWork): Promise<Registry> => tx.get(Registries, { id: 1 });

/**
 * Adds an endpoint or its new url, and makes the secret with the first one. Raises 409 if another endpoint has the url or there are
 * too many. Returns the registry.
 */
export async function register(tx: UnitOfWork, endpoint: { id: number; url: string }): Promise<Registry> {
  const registry = await findRegistry(tx);
  const others = (registry?.endpoints ?? []).filter(({ id }) => id !== endpoint.id);
  const { url } = endpoint;
  const taken = others.find((other) => other.url === url);
  if (taken) throw conflict('webhook_url_taken', 'another endpoint has this url', { endpointId: taken.id });
  if (others.length >= maxEndpoints)
    throw conflict('limit_reached', `there are ${maxEndpoints} endpoints already`, { limit: maxEndpoints });
  const endpoints = [...others, { id: endpoint.id, url }];
  if (registry) return tx.update(Registries, { ...registry, endpoints });
  const secret = await makeSecret(tx.tenant);
  return tx.create(Registries, { id: 1, endpoints, ...secret, previousSecret: null, previousValidUntil: null });
}

/** Removes an endpoint; the secret stays for the next one. */
export async function unregister(tx: UnitOfWork, endpointId: number): Promise<void> {
  const registry = await getRegistry(tx);
  tx.update(Registries, { ...registry, endpoints: registry.endpoints.filter(({ id }) => id !== endpointId) });
}

/** Replaces the secret; the previous one still signs for `graceMinutes`. */
export async function rotate(tx: UnitOfWork, graceMinutes: number): Promise<Registry> {
  const registry = await getRegistry(tx);
  return tx.update(Registries, {
    ...registry,
    ...(await makeSecret(tx.tenant)),
    previousSecret: graceMinutes === 0 ? null : registry.secret,
    previousValidUntil: graceMinutes === 0 ? null : shifted(tx.now, graceMinutes * minuteMs),
  });
}

/** Returns the encryption context of a tenant's webhook secret. */
export const secretContext = (tenant: Tenant) => ({ tenant: tenantKey(tenant), purpose: 'webhook' });

async function makeSecret(tenant: Tenant) {
  const secret = newSecret();
  return { secret: await encrypt(secret, secretContext(tenant)), secretHint: secret.slice(-hintLength) };
}

const maxKnown = 1000;
const known = new Map<string, Promise<string>>();

/** Decrypts a secret, once in the life of the process. */
function reveal(tenant: Tenant, encrypted: string): Promise<string> {
  const found = known.get(encrypted);
  if (found !== undefined) return found;
  if (known.size >= maxKnown) known.clear();
  const secret = decrypt(encrypted, secretContext(tenant));
  known.set(encrypted, secret);
  secret.catch(() => known.delete(encrypted));
  return secret;
}

/** Decrypts the current secret. Needs the key. */
export const currentSecret = (tenant: Tenant, { secret }: Registry): Promise<string> => reveal(tenant, secret);

/** Decrypts the secrets that sign now: the current one and, during a grace, the previous one if it can still be read. Needs the key. */
export async function secretsOf(tenant: Tenant, registry: Registry, now: string): Promise<string[]> {
  const { secret, previousSecret, previousValidUntil } = registry;
  const isInGrace = previousSecret !== null && previousValidUntil !== null && previousValidUntil > now;
  const [current, before] = await Promise.all([
    reveal(tenant, secret),
    isInGrace ? unlessUnreadable(reveal(tenant, previousSecret)) : undefined,
  ]);
  return before === undefined ? [current] : [current, before];
}
