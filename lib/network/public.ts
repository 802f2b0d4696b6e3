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

/** Ranges of the inside that an operator may open to webhooks (contract section 14); link-local ones, where metadata are, stay shut. */
const openable = ['private', 'loopback', 'uniqueLocal'];
/** Where AWS answers with the credentials of a machine, in a range that is private otherwise. */
const metadataIPv6 = ipaddr.parse('fd00:ec2::254').toNormalizedString();

/** Whether the address may be connected to. */
export function isAllowedAddress(address: string, allowPrivate: boolean): boolean {
  if (isPublicAddress(address)) return true;
  if (!allowPrivate || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return openable.includes(parsed.range()) && parsed.toNormalizedString() !== metadataIPv6;
}
