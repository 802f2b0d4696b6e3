import * as v from 'valibot';
import { minuteMs, shifted } from '#lib/clock.ts';
import { conflict } from '#lib/problem.ts';
import { decrypt, encrypt } from '#lib/secrets.ts';
import { entity } from '#lib/table/entity.ts';
import type { Transaction } from '#lib/table/transaction.ts';
import { type Tenant, tenantKey } from '#lib/tenant.ts';
import { newSecret } from './sign.ts';

/** The one row of a tenant that makes its endpoints' urls unique, their number limited and their secret shared. */
const Registries = entity({
  name: 'webhook-registry',
  schema: v.object({
    id: v.literal(1),
    endpoints: v.array(v.object({ id: v.number(), url: v.string() })),
    /** Encrypted. */
    secret: v.string(),
    secretHint: v.string(),
    previousSecret: v.nullable(v.string()),
    previousValidUntil: v.nullable(v.string()),
  }),
});

type Registry = v.InferOutput<(typeof Registries)['schema']>;

const maxEndpoints = 20;
const hintLength = 4;

/** Undefined before the first endpoint. */
export const findRegistry = (tx: Transaction): Promise<Registry | undefined> => tx.find(Registries, { id: 1 });

/** The registry of a tenant that has an endpoint. */
export const getRegistry = (tx: Transaction): Promise<Registry> => tx.get(Registries, { id: 1 });

/**
 * Takes up an endpoint, or its new url, and makes the secret with the first one. Raises 409 when another has the url or there
 * are too many. Returns the registry.
 */
export async function register(tx: Transaction, endpoint: { id: number; url: string }): Promise<Registry> {
  const registry = await findRegistry(tx);
  const others = (registry?.endpoints ?? []).filter(({ id }) => id !== endpoint.id);
  const url = new URL(endpoint.url).href;
  const taken = others.find((other) => other.url === url);
  if (taken) throw conflict('webhook_url_taken', 'another endpoint has this url', { endpointId: taken.id });
  if (others.length >= maxEndpoints)
    throw conflict('limit_reached', `there are ${maxEndpoints} endpoints already`, { limit: maxEndpoints });
  const endpoints = [...others, { id: endpoint.id, url }];
  if (registry) return tx.update(Registries, { ...registry, endpoints });
  const secret = await makeSecret(tx.tenant);
  return tx.create(Registries, { id: 1, endpoints, ...secret, previousSecret: null, previousValidUntil: null });
}

/** Lets an endpoint go; the secret stays for the next one. */
export async function unregister(tx: Transaction, endpointId: number): Promise<void> {
  const registry = await getRegistry(tx);
  tx.update(Registries, { ...registry, endpoints: registry.endpoints.filter(({ id }) => id !== endpointId) });
}

/** Replaces the secret; the one before still signs for so many minutes. */
export async function rotate(tx: Transaction, graceMinutes: number): Promise<Registry> {
  const registry = await getRegistry(tx);
  return tx.update(Registries, {
    ...registry,
    ...(await makeSecret(tx.tenant)),
    previousSecret: graceMinutes === 0 ? null : registry.secret,
    previousValidUntil: graceMinutes === 0 ? null : shifted(tx.now, graceMinutes * minuteMs),
  });
}

const contextOf = (tenant: Tenant) => ({ tenant: tenantKey(tenant), purpose: 'webhook' });

async function makeSecret(tenant: Tenant) {
  const secret = newSecret();
  return { secret: await encrypt(secret, contextOf(tenant)), secretHint: secret.slice(-hintLength) };
}

const maxKnown = 1000;
const known = new Map<string, Promise<string>>();

/** The secret in clear, decrypted once in the life of the process. */
function reveal(tenant: Tenant, encrypted: string): Promise<string> {
  const found = known.get(encrypted);
  if (found) return found;
  if (known.size >= maxKnown) known.clear();
  const secret = decrypt(encrypted, contextOf(tenant));
  known.set(encrypted, secret);
  secret.catch(() => known.delete(encrypted));
  return secret;
}

/** The current secret in clear. Needs `kms`. */
export const currentSecret = (tenant: Tenant, { secret }: Registry): Promise<string> => reveal(tenant, secret);

/** The secrets that sign now: the current one and, during a grace, the one before. Needs `kms`. */
export function secretsOf(tenant: Tenant, registry: Registry, now: string): Promise<string[]> {
  const { secret, previousSecret, previousValidUntil } = registry;
  const isInGrace = previousSecret !== null && previousValidUntil !== null && previousValidUntil > now;
  return Promise.all([secret, ...(isInGrace ? [previousSecret] : [])].map((one) => reveal(tenant, one)));
}
