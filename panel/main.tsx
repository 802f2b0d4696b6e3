import { render } from 'preact';
import { speak } from './app/languages.ts';
import { timeZone } from './app/locale.ts';
import { isSignedIn } from './app/session.ts';
import { App } from './shell/app.tsx';
import { loadPage, openPage } from './shell/pages.ts';

const spoken = speak();
if (isSignedIn.value) {
  // The code of the page comes along. Where it does not, the page asks again and says so.
  if (openPage.value) loadPage(openPage.value.page).catch(() => undefined);
  // A browser takes long to find out its zone: now, while nothing has come yet.
  timeZone.peek();
}
await spoken;
render(<App />, document.getElementById('app') as HTMLElement);
