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

/** How far out of the public internet webhooks may go: not at all, into private networks, or to this machine too. */
export type Reach = 'public' | 'private' | 'local';

/** The ranges that open with it (contract section 14); link-local ones, where metadata are, never do. */
const opened: Record<Reach, readonly string[]> = {
  public: [],
  private: ['private', 'uniqueLocal'],
  local: ['private', 'uniqueLocal', 'loopback'],
};
/** Where AWS answers with credentials, names and the time of a machine, in a range that is private otherwise. */
const awsServicesIPv6 = ipaddr.parseCIDR('fd00:ec2::/32');

/** Whether the address may be connected to. */
export function isAllowedAddress(address: string, reach: Reach): boolean {
  if (isPublicAddress(address)) return true;
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return opened[reach].includes(parsed.range()) && !(parsed.kind() === 'ipv6' && parsed.match(awsServicesIPv6));
}
