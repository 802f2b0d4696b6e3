import type { Browser } from 'playwright-core';
import { createDemo, signInLinkOf } from '#infra/local/demo.ts';
import { place } from '#test/place.ts';
import { openPage, type Watched } from './page.ts';

export const panelUrl = `${place('baseUrl')}/panel/`;

/** A workspace with something on every page, and a session of its owner. */
export async function newDemo() {
  const demo = await createDemo();
  const token = (await signInLinkOf(demo.workspaceId)).split('/').at(-1) as string;
  const answer = await fetch(`${panelUrl}sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  const { session } = (await answer.json()) as { session: string };
  return { ...demo, session };
}

/** The panel in a page of its own, as somebody who has signed in before in this tab. */
export async function openPanel(
  browser: Browser,
  session: string,
  { environment = 'live', ...options }: Parameters<typeof openPage>[2] & { environment?: 'live' | 'test' } = {},
): Promise<Watched> {
  const watched = await openPage(browser, panelUrl, options);
  const kept = { 'crm.session': session, 'crm.environment': environment };
  for (const [name, value] of Object.entries(kept))
    await watched.page.addInitScript(`sessionStorage.setItem('${name}', ${JSON.stringify(JSON.stringify(value))})`);
  await watched.page.goto(panelUrl);
  await watched.page.waitForSelector('main h1');
  return watched;
}
