import { isIP } from 'node:net';
import { env } from '#lib/core/env.ts';
import { shortLookupTimeoutMs } from '#lib/core/timeouts.ts';
import { type Lookup, openResolver } from './resolver.ts';
import { isAllowedAddress, type Reach } from './ssrf-guard.ts';

/** As far as the operator lets webhooks go; to this machine only where it is the local system's. */
export function reachOfWebhooks(): Reach {
  if (env('WEBHOOK_PRIVATE_NETWORKS') === 'deny') return 'public';
  return env('WEBHOOK_LOOPBACK') === 'allow' ? 'local' : 'private';
}

interface HostCheck {
  reach?: Reach;
  /** By the system's resolver, for a second and a half, unless given. */
  lookup?: Lookup;
}

/** Whether a host is, or resolves to, an address that must not be reached. A name without any address is no such host. */
export async function isForbiddenHost(hostname: string, settings: HostCheck = {}): Promise<boolean> {
  const { reach = reachOfWebhooks(), lookup = lookupOnce } = settings;
  const isForbidden = (address: string) => !isAllowedAddress(address, reach);
  const literal = literalOf(hostname);
  if (isIP(literal)) return isForbidden(literal);
  const addresses = await lookup(hostname).catch(() => []);
  return addresses.some(({ address }) => isForbidden(address));
}

const lookupOnce: Lookup = (hostname) => openResolver({ timeoutMs: shortLookupTimeoutMs }).lookup(hostname);

/** Without the brackets of an IPv6 literal. */
export const literalOf = (hostname: string) => hostname.replace(/^\[|\]$/g, '');
