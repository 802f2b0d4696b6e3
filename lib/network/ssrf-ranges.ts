import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { isIP } from 'node:net';
import { env } from '#lib/env.ts';
import { isAllowedAddress, type Reach } from './ssrf-guard.ts';

/** As `dns.lookup` with `all`. Tests give their own. */
export type Lookup = (
  hostname: string,
  options: { all: true; family?: number | undefined },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** As far as the operator lets webhooks go; to this machine only where it is the local system's. */
export function reachOfWebhooks(): Reach {
  if (env('WEBHOOK_PRIVATE_NETWORKS') === 'deny') return 'public';
  return env('WEBHOOK_LOOPBACK') === 'allow' ? 'local' : 'private';
}

interface HostCheck {
  reach?: Reach;
  lookup?: Lookup;
  timeoutMs?: number;
}

/** Whether a host is, or resolves to, an address that must not be reached. A name without any address is no such host. */
export function isForbiddenHost(
  hostname: string,
  { reach = reachOfWebhooks(), lookup = systemLookup, timeoutMs = 1_500 }: HostCheck = {},
): Promise<boolean> {
  const isForbidden = (address: string) => !isAllowedAddress(address, reach);
  const literal = literalOf(hostname);
  if (isIP(literal)) return Promise.resolve(isForbidden(literal));
  return new Promise((resolve) => {
    const late = setTimeout(() => resolve(false), timeoutMs);
    lookup(hostname, { all: true }, (error, addresses) => {
      clearTimeout(late);
      resolve(!error && addresses.some(({ address }) => isForbidden(address)));
    });
  });
}

/** Without the brackets of an IPv6 literal. */
export const literalOf = (hostname: string) => hostname.replace(/^\[|\]$/g, '');
