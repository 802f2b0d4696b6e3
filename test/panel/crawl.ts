import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { accessibilityFindings, overflowPx, screenshot, shiftOf, type Watched } from './page.ts';
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

/** What is alike of places: a contact is like any other, and so is a part of the reference, which has tests of its own. */
const kindOf = (path: string) => path.replace(/\/\d+/g, '/{id}').replace(/^(\/developers\/reference\/).+/, '$1{part}');

/**
 * Visits every page of the navigation, one of each kind of place that they lead to (their tabs, a contact, an endpoint with a
 * delivery), and with dialogs the one that makes something new there. Returns where it was, and what was wrong there, a line each;
 * `name` begins the names of the screenshots.
 */
export async function crawl(
  { page, faults }: Watched,
  name: string,
  { withDialogs = false } = {},
): Promise<{ seen: string[]; found: string[] }> {
  const [seen, found]: [string[], string[]] = [[], []];
  const toSee = await placesIn(page, '#navigation a');
  const known = new Set(toSee.map(kindOf));
  for (let path = toSee.shift(); path; path = toSee.shift()) {
    seen.push(path);
    await openPlace(page, path);
    const note = (here: string[]) => found.push(...[...here, ...faults.splice(0)].map((fault) => `${path}: ${fault}`));
    const picture = `${name}-${path.slice(1).replaceAll('/', '-')}`;
    note(await faultsOf(page));
    await screenshot(page, picture);
    for (const place of await placesIn(page, 'main a')) {
      if (known.has(kindOf(place))) continue;
      known.add(kindOf(place));
      toSee.unshift(place);
    }
    if (withDialogs && (await page.locator('main [data-new]').count()) > 0)
      note(await faultsOfNew(page, `${picture}-new`));
  }
  return { seen, found };
}

/** Opens the dialog that makes something new by its key, and closes it by Escape. */
async function faultsOfNew(page: Page, picture: string): Promise<string[]> {
  await page.keyboard.press('n');
  const dialog = page.getByRole('dialog');
  await dialog.locator('form').waitFor();
  await expect.poll(() => page.locator('dialog form :focus').count()).toBe(1);
  const here = await accessibilityFindings(page);
  await screenshot(page, picture);
  await page.keyboard.press('Escape');
  await expect.poll(() => dialog.count()).toBe(0);
  return here;
}

/** Shifts of the layout that nobody asked for add up to at most this much of the window: what is known as good. */
const mostShift = 0.1;

async function faultsOf(page: Page): Promise<string[]> {
  const headings = await page.locator('h1').allTextContents();
  const current = await page.locator('#navigation [aria-current="page"]').count();
  const overflow = await overflowPx(page);
  const failures = await page.locator('main [role="alert"]').allTextContents();
  const speechless = await page.locator('main .empty:not(:has(> :not(.title)))').allTextContents();
  const shift = await shiftOf(page);
  return [
    ...(headings.length === 1 ? [] : [`has ${headings.length} h1`]),
    ...(headings.includes('There is no such page') ? ['is not there'] : []),
    ...(current === 1 ? [] : [`${current} links are of the open page`]),
    ...(overflow <= 0 ? [] : [`is ${overflow} px wider than the window`]),
    ...(shift <= mostShift ? [] : [`jumps by ${shift} of the window while it loads`]),
    ...speechless.map((text) => `does not say what to do: ${text}`),
    ...failures.map((text) => `fails: ${text}`),
    ...(await accessibilityFindings(page)),
  ];
}
