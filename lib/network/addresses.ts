import ipaddr from 'ipaddr.js';

/** Whether the text is an IPv4 or IPv6 address or a CIDR range. */
export function isAddressOrRange(text: string): boolean {
  if (text.includes('/')) return ipaddr.isValidCIDR(text);
  return ipaddr.IPv6.isValid(text) || ipaddr.IPv4.isValidFourPartDecimal(text);
}

/** Whether the address is one of the addresses or in one of the ranges; IPv4-mapped IPv6 counts as IPv4. */
export function isWithin(address: string, ranges: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return ranges.some((range) => {
    const [base, bits] = range.includes('/') ? ipaddr.parseCIDR(range) : [ipaddr.parse(range), undefined];
    const network = mapped(base);
    const prefix = bits === undefined ? network.toByteArray().length * 8 : network === base ? bits : bits - 96;
    return network.kind() === parsed.kind() && parsed.match([network, prefix] as never);
  });
}

function mapped(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | ipaddr.IPv6 {
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

/**
 * The client's address (contract section 18): the TCP peer, or, when the peer is a trusted proxy, the right-most hop of
 * `X-Forwarded-For` that is not.
 */
export function clientAddress(
  peer: string,
  forwardedFor: string | undefined,
  trustedProxies: readonly string[],
): string {
  let client = peer;
  const hops = (forwardedFor ?? '')
    .split(',')
    .map((hop) => hop.trim())
    .filter((hop) => hop !== '');
  while (isWithin(client, trustedProxies) && hops.length > 0) client = hops.pop() as string;
  return client;
}

/** Not known as special by the library: the IPv6 space from which no public address is given out. */
const publicIPv6 = '2000::/3';

/**
 * Whether the address is on the public internet: unicast, and no private, loopback, link-local, metadata, shared, test,
 * multicast, reserved or tunnel range, also when an IPv4 address is written as IPv6.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  return parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || isWithin(address, [publicIPv6]));
}
