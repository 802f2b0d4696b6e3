import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBrowser } from './chromium.ts';
import { crawl } from './crawl.ts';
import { widths } from './page.ts';
import { newDemo, openPanel } from './signed-in.ts';

let browser: Browser | undefined;
let session: string;
beforeAll(async () => {
  browser = await startBrowser();
  if (browser) ({ session } = await newDemo());
});
afterAll(() => browser?.close());

/** Those that the contract names (section 27). */
const places = [
  ...['/home', '/inbox', '/contacts', '/deals', '/tasks', '/finance', '/accounts'],
  ...['keys', 'webhooks', 'events', 'requests', 'jobs', 'reference', 'mcp'].map((name) => `/developers/${name}`),
];

test.for([
  ['wide', 'light'],
  ['wide', 'dark'],
  ['narrow', 'light'],
  ['narrow', 'dark'],
] as const)('every page of the demo, %s and %s, has no fault', async ([size, scheme], { skip }) => {
  if (!browser) return skip();
  const watched = await openPanel(browser, session, { width: widths[size], scheme });
  const { seen, found } = await crawl(watched, `${size}-${scheme}`);
  expect(found).toEqual([]);
  expect(seen).toEqual(expect.arrayContaining(places));
  await watched.page.context().close();
});
