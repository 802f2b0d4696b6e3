import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { accessibilityFindings, overflowPx, screenshot, type Watched } from './page.ts';
import { panelUrl } from './signed-in.ts';

/** Where the links of a selector lead, without what follows the path. */
async function placesIn(page: Page, selector: string): Promise<string[]> {
  const hrefs = await page
    .locator(selector)
    .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
  return [...new Set(hrefs.filter((href) => href.startsWith('#/')).map((href) => href.slice(1).replace(/\?.*/, '')))];
}

/** Opens a place of the panel and waits until it shows what it loads. */
export async function openPlace(page: Page, path: string): Promise<void> {
  await page.goto(`${panelUrl}#${path}`);
  await page.waitForLoadState('networkidle');
  await expect.poll(() => page.locator('main .skeleton, main [aria-busy="true"]').count()).toBe(0);
}

/**
 * Visits every page of the navigation, and one of whatever each of them leads to: a contact, a conversation, an endpoint with a
 * delivery. Returns where it was, and what was wrong there, a line each; `name` begins the names of the screenshots.
 */
export async function crawl({ page, faults }: Watched, name: string): Promise<{ seen: string[]; found: string[] }> {
  const [seen, found]: [string[], string[]] = [[], []];
  const toSee = await placesIn(page, '#navigation a');
  for (let path = toSee.shift(); path; path = toSee.shift()) {
    seen.push(path);
    await openPlace(page, path);
    const here = [...(await faultsOf(page)), ...faults.splice(0)];
    found.push(...here.map((fault) => `${path}: ${fault}`));
    await screenshot(page, `${name}-${path.slice(1).replaceAll('/', '-')}`);
    const further = (await placesIn(page, `main a[href^="#${path}/"]`)).find((place) => !seen.includes(place));
    if (further) toSee.unshift(further);
  }
  return { seen, found };
}

async function faultsOf(page: Page): Promise<string[]> {
  const headings = await page.locator('h1').allTextContents();
  const current = await page.locator('#navigation [aria-current="page"]').count();
  const overflow = await overflowPx(page);
  const failures = await page.locator('main [role="alert"]').allTextContents();
  return [
    ...(headings.length === 1 ? [] : [`has ${headings.length} h1`]),
    ...(headings.includes('There is no such page') ? ['is not there'] : []),
    ...(current === 1 ? [] : [`${current} links are of the open page`]),
    ...(overflow <= 0 ? [] : [`is ${overflow} px wider than the window`]),
    ...failures.map((text) => `fails: ${text}`),
    ...(await accessibilityFindings(page)),
  ];
}
