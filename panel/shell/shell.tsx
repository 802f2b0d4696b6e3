import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { speakOf } from '../app/languages.ts';
import { useLoaded } from '../app/load.ts';
import { place } from '../app/route.ts';
import { current, environment, workspaceId } from '../app/session.ts';
import { t } from '../app/texts.ts';
import { complain } from '../app/toasts.ts';
import { Failure } from '../parts/failure.tsx';
import { filled } from '../parts/filled.tsx';
import { SkipLink } from '../parts/frame.tsx';
import { Head } from '../parts/head.tsx';
import type { Page, PageProps } from '../parts/page.ts';
import { Skeleton } from '../parts/skeleton.tsx';
import { Help } from './help.tsx';
import { Navigation } from './navigation.tsx';
import { loadPage, openPage, shown, visiblePages, work } from './pages.ts';
import { isHelpOpen, isPaletteOpen, takeEarly } from './shortcuts.ts';
import { signOut, switchEnvironment, switchWorkspace } from './switches.ts';
import { TopBar } from './top-bar.tsx';

const close = () => {
  isPaletteOpen.value = false;
};

async function loadPalette() {
  const [{ Palette }] = await Promise.all([work('palette'), speakOf('settings')]);
  return { Palette };
}

function Search() {
  const { data, error } = useLoaded(loadPalette, []);
  useEffect(() => {
    if (error === undefined) return;
    close();
    complain(error);
  }, [error]);
  return (
    data && (
      <data.Palette
        pages={visiblePages.value}
        switchEnvironment={switchEnvironment}
        switchWorkspace={switchWorkspace}
        showKeys={() => (isHelpOpen.value = true)}
        signOut={signOut}
        takeTyped={takeEarly}
        onClose={close}
      />
    )
  );
}

/** The frame around every page. */
export const Shell = () => (
  <>
    <SkipLink />
    <TopBar />
    <div class="columns">
      <Navigation />
      <main id="main" class="page" tabIndex={-1}>
        <OpenPage />
      </main>
    </div>
    {isHelpOpen.value && <Help onClose={() => (isHelpOpen.value = false)} />}
    {isPaletteOpen.value && <Search />}
  </>
);

function OpenPage() {
  const found = openPage.value;
  if (!found)
    return (
      <>
        <Head title={t.shell.thereIsNoSuchPage} />
        <p>{filled(t.shell.goOrChooseAPage, { a: <a href="#/home">{t.shell.home}</a> })}</p>
      </>
    );
  if (!visiblePages.value.includes(found.page))
    return (
      <>
        <Head title={found.page.title} />
        <p>{t.shell.yourRoleInThisWorkspace}</p>
      </>
    );
  // Of another workspace or environment nothing may be left.
  const key = [workspaceId.value ?? current.value?.workspace.id, environment.value, found.page.path].join(' ');
  return <Outlet key={key} {...found} />;
}

function Outlet({ page, variables }: { page: Page; variables: Record<string, string> }) {
  const { data = shown.get(page), error, reload } = useLoaded(() => loadPage(page), [page]);
  if (error !== undefined) return <Failure error={error} again={reload} />;
  if (!data)
    return (
      <>
        <Head title={page.title} />
        <Skeleton />
      </>
    );
  return <Shown path={place.value.path} show={data} variables={variables} />;
}

/** Where somebody was before; the first page keeps the focus where the browser has it. */
let shownBefore = place.value.path;

/** After a navigation the page's name has the focus, so that screen readers say it and the keyboard goes on from there. */
function Shown({ path, show: Shows, variables }: { path: string; show: ComponentType<PageProps> } & PageProps) {
  useEffect(() => {
    if (shownBefore !== path) {
      scrollTo(0, 0);
      document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
    }
    shownBefore = path;
  }, [path]);
  return <Shows variables={variables} />;
}
