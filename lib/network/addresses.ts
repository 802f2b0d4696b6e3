import { BlockList, isIP, isIPv4 } from 'node:net';

/** Whether the text is an IPv4 or IPv6 address or a CIDR range. */
export function isAddressOrRange(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0 || address.includes('%')) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** Whether the address is one of the addresses or in one of the ranges; IPv4-mapped IPv6 counts as IPv4. */
export function isWithin(address: string, ranges: readonly string[]): boolean {
  if (isIP(address) === 0) return false;
  const listed = new BlockList();
  for (const range of ranges) {
    const [base = '', bits] = range.split('/');
    if (bits === undefined) listed.addAddress(base, family(base));
    else listed.addSubnet(base, Number(bits), family(base));
  }
  // A range may be written in the mapped form while the address is not; the list itself maps only the other way.
  return listed.check(address, family(address)) || (isIPv4(address) && listed.check(`::ffff:${address}`, 'ipv6'));
}

/** Whether every address of a range is in one of the ranges (in one alone: two halves are not put together). */
export function isRangeWithin(range: string, ranges: readonly string[]): boolean {
  const [base = ''] = range.split('/');
  return ranges.some((wide) => prefixLength(range) >= prefixLength(wide) && isWithin(base, [wide]));
}

/** In IPv6, where IPv4 is the mapped range of 96 bits. */
function prefixLength(range: string): number {
  const [base = '', bits] = range.split('/');
  return isIPv4(base) ? 96 + Number(bits ?? 32) : Number(bits ?? 128);
}

const family = (address: string) => (isIPv4(address) ? 'ipv4' : 'ipv6');

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

/**
 * Returns the network for which requests of an address are counted: the address, or the first 48 bits of IPv6, which free tunnels give to
 * one client.
 */
export function clientNetwork(address: string): string {
  if (isIP(address) !== 6) return address;
  const canonical = new URL(`http://[${address.replace(/%.*/, '')}]`).hostname.slice(1, -1);
  // An IPv4 address in the clothes of IPv6.
  if (canonical.startsWith('::ffff:')) return canonical;
  const given = canonical.split(/::?/).filter(Boolean).length;
  const whole = canonical.replace('::', `:${'0:'.repeat(8 - given)}`).replace(/^:/, '');
  return whole.split(':').slice(0, 3).join(':');
}
