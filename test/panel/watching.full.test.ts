import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBrowser } from './chromium.ts';
import { accessibilityFindings, openPage, overflowPx, screenshot, shiftOf, widths } from './page.ts';

/** What the tests of the panel's pages look for, each in a page that does it. */
const pages: Record<string, string> = {
  '/good': '<html lang="en"><title>t</title><main><h1>Hello</h1></main>',
  '/throws': '<script>throw new Error("boom")</script>',
  '/logs': '<script>console.error("oh")</script>',
  '/foreign': '<img src="http://127.0.0.2:9/x.png" alt="">',
  '/inline':
    '<div style="color: red" onclick="alert(1)">x</div><script>document.body.innerHTML += "<img src=x onerror=alert(1)>"</script>',
  '/wide': '<div style="width: 2000px">x</div>',
  '/jumps':
    '<html lang="en"><title>t</title><p style="height: 300px">x</p><script>setTimeout(() => document.body.prepend(document.createElement("hr"), ..."abcdefgh".split("").map(() => document.createElement("br"))), 300)</script>',
  '/unlabelled': '<html lang="en"><title>t</title><main><h1>x</h1><input><button></button></main>',
};

let browser: Browser | undefined;
const server = createServer(({ url = '' }, answer) => {
  answer.setHeader('content-type', 'text/html; charset=utf-8');
  if (url === '/inline') answer.setHeader('content-security-policy', "default-src 'none'; script-src 'self'");
  answer.statusCode = pages[url] ? 200 : 204;
  answer.end(pages[url]);
});
beforeAll(async () => {
  browser = await startBrowser();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await browser?.close();
  server.close();
});

async function open(path: string, width?: number) {
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const watched = await openPage(browser as Browser, baseUrl, width ? { width } : {});
  await watched.page.goto(`${baseUrl}${path}`);
  await watched.page.waitForLoadState('networkidle');
  return watched;
}

describe('the checks of the page tests', () => {
  test.for([
    ['/throws', 'threw boom'],
    ['/logs', 'console: oh'],
    ['/foreign', 'asked http://127.0.0.2:9/x.png'],
    ['/inline', 'violates script-src'],
  ] as const)('%s', async ([path, fault], { skip }) => {
    if (!browser) return skip();
    const { page, faults } = await open(path);
    await expect.poll(() => faults.join('\n')).toContain(fault);
    await page.context().close();
  });

  test('a page without a fault has none', async ({ skip }) => {
    if (!browser) return skip();
    const { page, faults } = await open('/good');
    expect(faults).toEqual([]);
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(await overflowPx(page)).toBe(0);
    await screenshot(page, 'good');
    await page.context().close();
  });

  test('an input without a label, a page that jumps, and one that is too wide', async ({ skip }) => {
    if (!browser) return skip();
    const unlabelled = await open('/unlabelled');
    const findings = (await accessibilityFindings(unlabelled.page)).join('\n');
    expect(findings).toContain('label: input');
    expect(findings).toContain('button-name: button');
    const jumping = await open('/jumps');
    await expect.poll(() => shiftOf(jumping.page)).toBeGreaterThan(0.05);
    const wide = await open('/wide', widths.narrow);
    expect(await overflowPx(wide.page)).toBeGreaterThan(1000);
    await Promise.all([unlabelled, jumping, wide].map(({ page }) => page.context().close()));
  });
});
