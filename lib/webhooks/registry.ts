import { decrypt, encrypt, unlessUnreadable } from '#lib/aws/secrets.ts';
import { minuteMs, shifted } from '#lib/core/clock.ts';
import { conflict } from '#lib/core/problem.ts';
import { type Tenant, tenantKey } from '#lib/core/tenant.ts';
import type { StoredEndpoint } from '#lib/entities/webhook.ts';
import { maxEndpoints, Registries, type Registry } from '#lib/entities/webhook-registry.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { newSecret } from './sign.ts';

const hintLength = 4;

/** The secret that signs deliveries, of one endpoint or of all that share it. */
type Signing = Pick<Registry, 'secret' | 'secretHint' | 'previousSecret' | 'previousValidUntil'>;

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
  if (taken)
    throw conflict('webhook_url_taken', `endpoint ${taken.id} has this url: change that one, or delete it first`, {
      endpointId: taken.id,
    });
  if (others.length >= maxEndpoints)
    throw conflict('limit_reached', `an environment has at most ${maxEndpoints} endpoints: delete one first`, {
      limit: maxEndpoints,
    });
  const endpoints = [...others, { id: endpoint.id, url }];
  if (registry) return tx.update(Registries, { ...registry, endpoints });
  return tx.create(Registries, { id: 1, endpoints, ...(await newSigning(tx.tenant)) });
}

/** Removes an endpoint; the secret stays for the next one. */
export async function unregister(tx: UnitOfWork, endpointId: number): Promise<void> {
  const registry = await getRegistry(tx);
  tx.update(Registries, { ...registry, endpoints: registry.endpoints.filter(({ id }) => id !== endpointId) });
}

/** Replaces the secret that endpoints share; the previous one still signs for `graceMinutes`. */
export async function rotate(tx: UnitOfWork, graceMinutes: number): Promise<Registry> {
  const registry = await getRegistry(tx);
  return tx.update(Registries, { ...registry, ...(await rotated(tx, registry, graceMinutes)) });
}

/** Returns a new secret in the place of one, which still signs for `graceMinutes`. */
export const rotated = async (tx: UnitOfWork, { secret }: Signing, graceMinutes: number): Promise<Signing> => ({
  ...(await newSigning(tx.tenant)),
  ...(graceMinutes > 0 && {
    previousSecret: secret,
    previousValidUntil: shifted(tx.now, graceMinutes * minuteMs),
  }),
});

/** Returns the encryption context of a tenant's webhook secret. */
export const secretContext = (tenant: Tenant) => ({ tenant: tenantKey(tenant), purpose: 'webhook' });

/** Returns a secret that has replaced none. */
export async function newSigning(tenant: Tenant): Promise<Signing> {
  const secret = newSecret();
  return {
    secret: await encrypt(secret, secretContext(tenant)),
    secretHint: secret.slice(-hintLength),
    previousSecret: null,
    previousValidUntil: null,
  };
}

/** Encrypts the headers of a change; null stays null. */
export const sealHeaders = (tenant: Tenant, headers: Readonly<Record<string, string | null>>) =>
  Promise.all(
    Object.entries(headers).map(async ([name, value]) => ({
      name,
      value: value === null ? null : await encrypt(value, secretContext(tenant)),
    })),
  );

/** Decrypts an endpoint's own headers. Needs the key. */
export const headersOfEndpoint = async (tenant: Tenant, { headers }: StoredEndpoint): Promise<Record<string, string>> =>
  Object.fromEntries(await Promise.all(headers.map(async ({ name, value }) => [name, await reveal(tenant, value)])));

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
export const currentSecret = (tenant: Tenant, { secret }: Signing): Promise<string> => reveal(tenant, secret);

/** Decrypts the secrets that sign now: the current one and, during a grace, the previous one if it can still be read. Needs the key. */
export async function secretsOf(tenant: Tenant, signing: Signing, now: string): Promise<string[]> {
  const { secret, previousSecret, previousValidUntil } = signing;
  const isInGrace = previousSecret !== null && previousValidUntil !== null && previousValidUntil > now;
  const [current, before] = await Promise.all([
    reveal(tenant, secret),
    isInGrace ? unlessUnreadable(reveal(tenant, previousSecret)) : undefined,
  ]);
  return before === undefined ? [current] : [current, before];
}
