import type { Browser, Page } from 'playwright-core';
import { createDemo, signInLinkOf } from '#infra/local/demo.ts';
import { place } from '#test/place.ts';
import { openPage, type Watched } from './page.ts';

export const panelUrl = `${place('baseUrl')}/panel/`;

/** Another session of the demo's owner. */
export async function newSession(workspaceId: number): Promise<string> {
  const token = (await signInLinkOf(workspaceId)).split('/').at(-1) as string;
  const answer = await fetch(`${panelUrl}sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  return ((await answer.json()) as { session: string }).session;
}

/** A workspace with something on every page, and a session of its owner. */
export async function newDemo() {
  const demo = await createDemo();
  return { ...demo, session: await newSession(demo.workspaceId) };
}

/** Gives the browser of a page a session, as a sign-in does. */
export async function giveSession(page: Page, session: string): Promise<void> {
  const url = new URL('/', panelUrl.replace('http:', 'https:')).href;
  const safe = { secure: true, httpOnly: true, sameSite: 'Strict' } as const;
  await page.context().addCookies([{ name: '__Host-crm-session', value: session, url, ...safe }]);
  await page.addInitScript("localStorage['crm.signed-in'] ??= '1'");
}

/** The panel in a page of its own, as somebody who has signed in before in this browser. */
export async function openPanel(
  browser: Browser,
  session: string,
  { environment = 'live', ...options }: Parameters<typeof openPage>[2] & { environment?: 'live' | 'test' } = {},
): Promise<Watched> {
  const watched = await openPage(browser, panelUrl, options);
  await giveSession(watched.page, session);
  await watched.page.addInitScript(`sessionStorage.setItem('crm.environment', '"${environment}"')`);
  await watched.page.goto(panelUrl);
  await watched.page.waitForSelector('main h1');
  return watched;
}
