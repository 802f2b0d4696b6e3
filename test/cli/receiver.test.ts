import { expect, test } from 'vitest';
import { receiverUrl } from '../../cli/delivery.ts';

test.each([
  ['4188', 'http://localhost:4188/'],
  [':4188', 'http://localhost:4188/'],
  ['4188/hook?x=1', 'http://localhost:4188/hook?x=1'],
  ['localhost:4188/hook', 'http://localhost:4188/hook'],
  ['127.0.0.1:4188', 'http://127.0.0.1:4188/'],
  ['[::1]:4188', 'http://[::1]:4188/'],
  ['https://example.com', 'https://example.com/'],
])('a receiver given as %s is %s', (given, url) => {
  expect(receiverUrl(given)).toBe(url);
});

test.each(['99999', ':99999/hook', 'ftp://x', ''])('a receiver given as %j is refused', (given) => {
  expect(() => receiverUrl(given)).toThrow(/is not an http or https URL/);
});
