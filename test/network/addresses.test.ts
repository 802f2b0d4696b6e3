import { describe, expect, test } from 'vitest';
import { clientAddress, clientNetwork, isAddressOrRange, isRangeWithin, isWithin } from '#lib/network/addresses.ts';

describe('an allowlist', () => {
  test('takes addresses and ranges of both families and nothing else', () => {
    for (const right of [
      '203.0.113.7',
      '10.0.0.0/8',
      '2001:db8::1',
      '2001:db8::/32',
      '::ffff:10.0.0.1',
      '0.0.0.0/0',
      '::/0',
    ]) {
      expect(isAddressOrRange(right), right).toBe(true);
    }
    for (const wrong of [
      '',
      'localhost',
      '10.0.0.0/33',
      '2001:db8::/129',
      '10.1',
      '0x7f.1',
      '10.0.0.0/',
      '1.2.3.4/8/8',
      '256.0.0.1',
    ]) {
      expect(isAddressOrRange(wrong), wrong).toBe(false);
    }
  });

  test('matches by value, not by spelling', () => {
    expect(isWithin('203.0.113.7', ['203.0.113.0/24'])).toBe(true);
    expect(isWithin('203.0.114.7', ['203.0.113.0/24'])).toBe(false);
    expect(isWithin('::ffff:203.0.113.7', ['203.0.113.7'])).toBe(true);
    expect(isWithin('203.0.113.7', ['::ffff:203.0.113.0/120'])).toBe(true);
    expect(isWithin('2001:DB8:0:0::1', ['2001:db8::1'])).toBe(true);
    expect(isWithin('2001:db8::1', ['0.0.0.0/0'])).toBe(false);
    expect(isWithin('nonsense', ['0.0.0.0/0', '::/0'])).toBe(false);
  });
});

test.each([
  ['10.1.2.3', ['10.1.2.3'], true],
  ['10.1.2.3', ['10.0.0.0/8'], true],
  ['10.0.0.0/8', ['10.0.0.0/8', '192.0.2.1'], true],
  // The host bits of a range say nothing.
  ['10.1.2.3/9', ['10.200.0.0/8'], true],
  ['10.0.0.0/7', ['10.0.0.0/8'], false],
  ['10.0.0.0/8', ['10.0.0.0/9', '10.128.0.0/9'], false],
  ['11.0.0.0/8', ['10.0.0.0/8'], false],
  ['2001:db8:1::/48', ['2001:db8::/32'], true],
  ['2001:db8::/32', ['2001:db8:1::/48'], false],
  ['10.0.0.0/8', ['::ffff:10.0.0.0/104'], true],
  ['::ffff:10.0.0.0/104', ['10.0.0.0/8'], true],
  ['::ffff:10.0.0.0/103', ['10.0.0.0/8'], false],
  ['::/0', ['0.0.0.0/0'], false],
  ['0.0.0.0/0', ['::/0'], true],
  ['10.0.0.0/8', [], false],
])('%s lies within %j: %s', (range, ranges, expected) => {
  expect(isRangeWithin(range, ranges)).toBe(expected);
});

describe('the client address', () => {
  test('is the peer unless the peer is a trusted proxy', () => {
    expect(clientAddress('198.51.100.9', '203.0.113.7', [])).toBe('198.51.100.9');
    expect(clientAddress('198.51.100.9', '203.0.113.7', ['10.0.0.0/8'])).toBe('198.51.100.9');
  });

  test('is the right-most hop that is no trusted proxy', () => {
    const trusted = ['10.0.0.0/8'];
    expect(clientAddress('10.0.0.1', '203.0.113.7', trusted)).toBe('203.0.113.7');
    expect(clientAddress('10.0.0.1', '1.1.1.1, 203.0.113.7, 10.0.0.2', trusted)).toBe('203.0.113.7');
    expect(clientAddress('10.0.0.1', undefined, trusted)).toBe('10.0.0.1');
  });
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2ff::7', '2001:db8:1'],
  ['2001:db8:1:2aa:1:2:3:4', '2001:db8:1'],
  ['2001:DB8:0001:0201::', '2001:db8:1'],
  ['2001:db8::1', '2001:db8:0'],
  ['::1', '0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0'],
  ['::ffff:192.0.2.7', '::ffff:c000:207'],
])('requests from %s are counted for %s', (address, network) => {
  expect(clientNetwork(address)).toBe(network);
});
