import { effect, signal } from '@preact/signals';
import { render } from 'preact';
import { useEffect } from 'preact/hooks';
import { place } from '../app/route.ts';
import { keep, readKept } from '../app/storage.ts';
import { showTexts } from '../app/texts.ts';
import { MenuButton, SkipLink } from '../parts/frame.tsx';
import { common, parts } from '../texts/en.ts';
import { type Caller, Calling } from './caller.ts';
import { Contents } from './contents.tsx';
import { SearchBox } from './search-box.tsx';
import { ReferenceView } from './view.tsx';

const key = signal(readKept<string>('reference-key') ?? '');
effect(() => keep('reference-key', key.value === '' ? undefined : key.value));

const isMenuOpen = signal(false);

/** Calls with the key that somebody has typed. */
const callerOf = (secret: string): Caller => ({
  environment: /^csk_(live|test)_/.exec(secret)?.[1] as Caller['environment'],
  key: { value: secret, change: (to) => (key.value = to) },
  send: (request) => {
    if (secret !== '') request.headers.set('Authorization', `Bearer ${secret}`);
    return fetch(request);
  },
});

addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
  event.preventDefault();
  document.querySelector<HTMLElement>('input[type=search]')?.focus();
});

/** The reference as a page of its own. */
function Page() {
  const { path } = place.value;
  useEffect(() => {
    isMenuOpen.value = false;
    scrollTo(0, 0);
    if (opened) document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
    opened = true;
  }, [path]);
  return (
    <Calling.Provider value={callerOf(key.value)}>
      <SkipLink />
      <header class="top">
        <MenuButton isOpen={isMenuOpen} />
        <a class="brand" href="#/home">
          CRM <span class="muted">API</span>
        </a>
        <SearchBox />
        <a class="aside" href="/panel/">
          Panel
        </a>
      </header>
      <div class="columns reference">
        <Contents isOpen={isMenuOpen.value} path={path} />
        <main id="main" class="page" tabIndex={-1}>
          <ReferenceView path={path} />
        </main>
      </div>
    </Calling.Provider>
  );
}

/** Whether a page has been shown: the first takes no focus. */
let opened = false;

showTexts({ common, parts });
render(<Page />, document.getElementById('app') as HTMLElement);
