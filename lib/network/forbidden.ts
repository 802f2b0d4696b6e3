import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { isIP } from 'node:net';
import { env } from '#lib/env.ts';
import { isPublicAddress } from './public.ts';

/** As `dns.lookup` with `all`. Tests give their own. */
export type Lookup = (
  hostname: string,
  options: { all: true; family?: number | undefined },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export const privateNetworksAllowed = () => env('WEBHOOK_PRIVATE_NETWORKS') === 'allow';

/** Whether a host is, or resolves to, an address that must not be reached. A name without any address is no such host. */
export function isForbiddenHost(hostname: string, lookup: Lookup = systemLookup, timeoutMs = 1_500): Promise<boolean> {
  const literal = literalOf(hostname);
  if (isIP(literal)) return Promise.resolve(!isPublicAddress(literal));
  return new Promise((resolve) => {
    const late = setTimeout(() => resolve(false), timeoutMs);
    lookup(hostname, { all: true }, (error, addresses) => {
      clearTimeout(late);
      resolve(!error && addresses.some(({ address }) => !isPublicAddress(address)));
    });
  });
}

/** Without the brackets of an IPv6 literal. */
export const literalOf = (hostname: string) => hostname.replace(/^\[|\]$/g, '');
