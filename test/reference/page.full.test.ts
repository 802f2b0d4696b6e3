import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import openapi from '#openapi' with { type: 'json' };
import { allOperations, type Document } from '#panel/document/document.ts';
import { startBrowser } from '#test/panel/chromium.ts';
import { signedIn } from '#test/panel/member.ts';
import { accessibilityFindings, openPage, overflowPx, type Scheme, screenshot, widths } from '#test/panel/page.ts';
import { giveSession } from '#test/panel/signed-in.ts';
import { place } from '#test/place.ts';
import { newWorkspace } from '#test/workspace.ts';

const baseUrl = place('baseUrl');
const document = openapi as unknown as Document;

let browser: Browser | undefined;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser?.close());

async function open(place: string, options: { width?: number; scheme?: Scheme } = {}) {
  const watched = await openPage(browser as Browser, baseUrl, options);
  await watched.page.goto(`${baseUrl}/docs/#${place}`);
  await watched.page.waitForSelector('main h1');
  return watched;
}

const title = (page: Page) => page.textContent('main h1');

/** Goes from place to place, as links do, and says where something else stands than should. */
async function wrongAmong(page: Page, places: readonly (readonly [place: string, title: string, text: string])[]) {
  const wrong = await page.evaluate(
    `(async (places) => {
      const wrong = [];
      for (const [place, title, text] of places) {
        location.hash = place;
        const main = () => document.querySelector('main');
        const isWrong = () => main().querySelector('h1')?.textContent !== title || !main().textContent.includes(text);
        // The document may yet have to come.
        const deadline = Date.now() + 5000;
        do {
          await new Promise((resolve) => setTimeout(resolve, 5));
          await new Promise(requestAnimationFrame);
        } while (isWrong() && Date.now() < deadline);
        if (isWrong()) wrong.push(place + ': ' + main().querySelector('h1')?.textContent);
      }
      return wrong;
    })(${JSON.stringify(places)})`,
  );
  return wrong as string[];
}

test('every operation, event, error and named schema of the document has its page', async ({ skip }) => {
  if (!browser) return skip();
  const { page, faults } = await open('/home');
  const operations = allOperations(document).map(
    ({ path, operation }) => [`/operations/${operation.operationId}`, operation.summary, path] as const,
  );
  const events = Object.entries(document.webhooks).map(
    ([kind, { post }]) => [`/events/${kind}`, kind, post.summary.replaceAll('`', '')] as const,
  );
  const schemas = Object.keys(document.components.schemas).map((name) => [`/schemas/${name}`, name, ''] as const);
  const reasons = [...JSON.stringify(document.components.responses).matchAll(/- `([a-z_]+)`:/g)].map(
    ([, reason = '']) => [`/errors/${reason}`, reason, 'details'] as const,
  );
  expect(Math.min(operations.length, events.length, reasons.length)).toBeGreaterThan(20);
  expect(await wrongAmong(page, [...operations, ...events, ...schemas, ...reasons])).toEqual([]);
  expect(faults).toEqual([]);
  await page.context().close();
});

const shown = [
  '/home',
  '/operations/contactsCreate',
  '/operations/contactsList',
  '/events/message.created',
  '/errors',
  '/errors/job_not_queued',
  '/limits',
  '/mcp',
  '/changelog',
];

describe.each([
  [widths.wide, 'light'],
  [widths.narrow, 'dark'],
] as const)('at %i px in %s colours', (width, scheme) => {
  test.each(shown)('%s can be used by everybody and does not scroll sideways', async (place) => {
    if (!browser) return;
    const { page, faults } = await open(place, { width, scheme });
    await page.waitForLoadState('networkidle');
    expect(await accessibilityFindings(page)).toEqual([]);
    expect(await overflowPx(page)).toBe(0);
    expect(faults).toEqual([]);
    await screenshot(page, `reference${place.replaceAll(/\W/g, '-')}-${width}-${scheme}`);
    await page.context().close();
  });
});

test('by keyboard: "/" searches, Enter opens what is found first, and its name has the focus', async ({ skip }) => {
  if (!browser) return skip();
  const { page, faults } = await open('/errors');
  await page.keyboard.press('/');
  await page.keyboard.type('create contact');
  await page.waitForSelector('[data-results] a');
  expect(await page.textContent('[data-results] a')).toContain('/v1/contacts');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.operation');
  expect(page.url()).toContain('#/operations/contacts');
  expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
  await page.fill('input[type=search]', 'limit_reached');
  await page.waitForSelector('[data-results] a:has-text("limit_reached")');
  await page.fill('input[type=search]', 'deal.stage_changed');
  // At once, before what was found before has gone.
  await page.press('input[type=search]', 'Enter');
  await page.waitForSelector('main h1:text-is("deal.stage_changed")');
  expect(await page.inputValue('input[type=search]')).toBe('');
  expect(faults).toEqual([]);
  await page.context().close();
});

test('an example is shown in the language that was chosen', async ({ skip }) => {
  if (!browser) return skip();
  const { page } = await open('/operations/tasksCreate');
  const example = () => page.textContent('[aria-label=Examples] pre');
  expect(await example()).toContain(`curl -X POST '${baseUrl}/v1/tasks'`);
  await page.click('text=Python');
  expect(await example()).toContain('requests.post(');
  await page.goto(`${baseUrl}/docs/#/operations/tasksList`);
  await page.waitForSelector('main h1:has-text("List")');
  expect(await example()).toContain('requests.get(');
  await page.context().close();
});

describe('a call from the page', () => {
  const send = '.try button[type=submit]';

  test('is made with a test key, which only the tab keeps', async ({ skip }) => {
    if (!browser) return skip();
    const { testKey, test: client } = await newWorkspace();
    const { page, faults } = await open('/operations/contactsCreate');
    expect(await page.isDisabled(send)).toBe(true);
    await page.fill('.try input[type=password]', testKey);
    await page.fill('.try textarea', '{ "name": "Grace <b>Hopper</b>" }');
    await page.click(send);
    await page.waitForSelector('[data-status="201"]');
    expect(await page.textContent('.try [data-status] pre')).toContain('"name": "Grace <b>Hopper</b>"');
    const { body } = await client.get('/v1/contacts');
    expect(body.items).toMatchObject([{ name: 'Grace <b>Hopper</b>' }]);
    await page.goto(`${baseUrl}/docs/#/operations/contactsGet`);
    await page.fill('.try input[name=id]', String(body.items[0].id));
    await page.click(send);
    await page.waitForSelector('[data-status="200"]');
    const kept = await page.evaluate('[Object.values(sessionStorage).join(), localStorage.length, document.cookie]');
    expect(kept).toEqual([expect.stringContaining(testKey), 0, '']);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test.for([1280, 1440, 1920])('is readable beside its sample at %i px', async (width, { skip }) => {
    if (!browser) return skip();
    const { testKey } = await newWorkspace();
    const { page } = await open('/operations/contactsList', { width });
    await page.fill('.try input[type=password]', testKey);
    await page.click(send);
    await page.waitForSelector('[data-status="200"]');
    const measured = await page.evaluate(`({
      narrowest: Math.min(...[...document.querySelectorAll('.trial > *')].map((one) => one.clientWidth)),
      outside: [...document.querySelectorAll('.sample')].flatMap((box) =>
        [...box.children].filter((one) => one.getBoundingClientRect().right > box.getBoundingClientRect().right + 1 ||
          one.getBoundingClientRect().bottom > box.getBoundingClientRect().bottom + 1).map((one) => one.outerHTML.slice(0, 80))),
      isWrapped: [...document.querySelectorAll('.sample pre')].some((one) => getComputedStyle(one).whiteSpace !== 'pre'),
    })`);
    expect(measured).toMatchObject({ outside: [], isWrapped: false });
    expect((measured as { narrowest: number }).narrowest).toBeGreaterThanOrEqual(24 * 16 - 2);
    await page.context().close();
  });

  test('with a live key reads, and writes nothing', async ({ skip }) => {
    if (!browser) return skip();
    const { liveKey, live } = await newWorkspace();
    const { page, faults } = await open('/operations/contactsCreate');
    await page.fill('.try input[type=password]', liveKey);
    expect(await page.textContent('.try .note')).toContain('only reads');
    expect(await page.isDisabled(send)).toBe(true);
    // Nor by Enter in the field.
    await page.press('.try input[type=password]', 'Enter');
    await page.goto(`${baseUrl}/docs/#/operations/contactsList`);
    await page.waitForSelector('main h1:has-text("List")');
    await page.click(send);
    await page.waitForSelector('[data-status="200"]');
    expect((await live.get('/v1/contacts')).body.items).toEqual([]);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

test('markup in the document is shown as text', async ({ skip }) => {
  if (!browser) return skip();
  const payload = '<img src=x onerror=alert(1)> [click](javascript:alert(1)) **<script>alert(1)</script>**';
  const hostile = JSON.stringify(openapi, (key, value) =>
    (key === 'description' || key === 'summary') && typeof value === 'string' ? `${payload}\n\n- ${payload}` : value,
  );
  const { page, faults } = await openPage(browser, baseUrl);
  await page.route('**/openapi.json', (route) => route.fulfill({ body: hostile, contentType: 'application/json' }));
  for (const place of ['/home', '/operations/contactsCreate', '/events/event', '/errors', '/limits']) {
    await page.goto(`${baseUrl}/docs/#${place}`);
    await page.waitForSelector('main h1');
    expect(await page.locator('main img, main script, main a[href^="javascript:"]').count()).toBe(0);
  }
  expect(await title(page)).toBe('Limits');
  expect(faults).toEqual([]);
  await page.context().close();
});

test('the panel shows it too, and calls as who is signed in: what is live is read, the sandbox is written', async ({
  skip,
}) => {
  if (!browser) return skip();
  const { id, test: client } = await newWorkspace();
  const { token } = await signedIn(id);
  const { page, faults } = await openPage(browser, baseUrl);
  await giveSession(page, token);
  await page.goto(`${baseUrl}/panel/#/developers/reference/operations/contactsCreate`);
  const send = '.try button[type=submit]';
  await page.waitForSelector(send);
  expect(await title(page)).toBe('Create a contact');
  expect(await page.isDisabled(send)).toBe(true);
  await page.click('.switch >> text=Sandbox');
  await page.waitForSelector(`${send}:enabled`);
  await page.fill('.try textarea', '{ "name": "Grace" }');
  await page.click(send);
  await page.waitForSelector('[data-status="201"]');
  expect((await client.get('/v1/contacts')).body.items).toMatchObject([{ name: 'Grace' }]);
  await page.keyboard.press('Escape');
  await page.fill('main input[type=search]', 'limit_reached');
  await page.press('main input[type=search]', 'Enter');
  await page.waitForSelector('main h1:text-is("limit_reached")');
  expect(page.url()).toContain('#/developers/reference/errors/limit_reached');
  expect(await accessibilityFindings(page)).toEqual([]);
  await screenshot(page, 'panel-reference');
  expect(faults).toEqual([]);
  await page.context().close();
});
