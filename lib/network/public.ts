import ipaddr from 'ipaddr.js';

/** Not known as special by the library: the IPv6 space from which every public address is given out. */
const publicIPv6 = ipaddr.parseCIDR('2000::/3');

/**
 * Whether the address is on the public internet: unicast, and no private, loopback, link-local, metadata, shared, test,
 * multicast, reserved or tunnel range, also when an IPv4 address is written as IPv6.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || parsed.match(publicIPv6));
}
