import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

export const widths = { narrow: 360, wide: 1440 };
export type Scheme = 'light' | 'dark';

export interface Watched {
  page: Page;
  /** What a page should never do: errors in the console, exceptions, calls of another origin, violations of the CSP. */
  faults: string[];
}

/** A page in a context of its own that is watched. It may ask one more origin, `alsoFrom`. */
export async function openPage(
  browser: Browser,
  baseUrl: string,
  {
    width = widths.wide,
    scheme = 'light' as Scheme,
    alsoFrom,
    ...options
  }: { width?: number; scheme?: Scheme; alsoFrom?: string } & BrowserContextOptions = {},
): Promise<Watched> {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: scheme,
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    reducedMotion: 'reduce',
    ...options,
  });
  // A machine that runs four whole systems beside each other is slow.
  context.setDefaultTimeout(90_000);
  const page = await context.newPage();
  const faults: string[] = [];
  const { origin } = new URL(baseUrl);
  await page.exposeFunction('reportViolation', (text: string) => faults.push(text));
  await page.addInitScript(
    `document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      reportViolation('violates ' + violatedDirective + ': ' + blockedURI))`,
  );
  await page.addInitScript(`
    window.shift = 0;
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shift += value;
    }).observe({ type: 'layout-shift', buffered: true });`);
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`threw ${error.message}`));
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (/^(https?|wss?):$/.test(url.protocol) && url.origin !== origin && url.origin !== alsoFrom)
      faults.push(`asked ${request.url()}`);
  });
  return { page, faults };
}

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core')), 'utf8');

interface AxeResults {
  violations: {
    id: string;
    impact: string | null;
    help: string;
    nodes: { target: string[]; failureSummary: string }[];
  }[];
}

/** What axe finds on the page that is serious or critical, a line each. */
export async function accessibilityFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as AxeResults;
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
    );
}

/** How much wider than the window a page is: it should not scroll sideways. */
export const overflowPx = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** How far what was shown has moved by itself since this was asked last, as a share of the window. */
export const shiftOf = (page: Page): Promise<number> =>
  page.evaluate('(([shift] = [window.shift]) => ((window.shift = 0), shift))()');

const shots = process.env['SCREENSHOTS'];

/** A picture of the whole page in the folder `SCREENSHOTS`, when that is set. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (!shots) return;
  await mkdir(shots, { recursive: true });
  await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
}
