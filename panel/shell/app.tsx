import { batch, effect } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ApiError } from '../../client/index.ts';
import { api } from '../app/api.ts';
import { followEvents } from '../app/live.ts';
import { useLoaded } from '../app/load.ts';
import { preferences } from '../app/locale.ts';
import { takeProfile } from '../app/profile.ts';
import { showReminders } from '../app/reminders.ts';
import { place } from '../app/route.ts';
import { type Current, chooseWorkspace, current, end, environment, isSignedIn, workspaceId } from '../app/session.ts';
import { keep, readKept } from '../app/storage.ts';
import { t } from '../app/texts.ts';
import { showTitle } from '../app/title.ts';
import { countUnread } from '../app/unread.ts';
import { Failure } from '../parts/failure.tsx';
import { Shell } from './shell.tsx';
import { listenForShortcuts } from './shortcuts.ts';
import { SignIn } from './sign-in.tsx';
import { Toasts } from './toast-list.tsx';

followEvents();
showReminders();
listenForShortcuts();
showTitle();
countUnread();
effect(() => {
  document.documentElement.dataset['environment'] = environment.value;
});
effect(() => {
  document.documentElement.dataset['theme'] = preferences.value.theme ?? 'system';
});

const isWithin = () => isSignedIn.value && !place.value.path.startsWith('/sign-in');

const askCurrent = (signal?: AbortSignal) => api.get('/panel/sessions/current', { signal });

/** The session, asked for along with the first texts. One that fails is asked for again. */
let early: Promise<Current> | undefined = isWithin() ? askCurrent() : undefined;
early?.catch(() => {
  early = undefined;
});
// The next one to sign in may be somebody else.
effect(() => {
  if (!isSignedIn.value) early = undefined;
});

export const App = () => (
  <>
    {isWithin() ? <SignedIn /> : <SignIn />}
    <Toasts />
  </>
);

/** Asks who is signed in and what they may, and again in another workspace or environment. */
async function loadCurrent(signal: AbortSignal): Promise<Current> {
  const { value: known } = current;
  const isOpen = known?.workspace.id === workspaceId.value && known?.environment === environment.value;
  const asked = early;
  early = undefined;
  return known && isOpen ? known : (asked ?? askCurrent(signal));
}

function SignedIn() {
  const asked = useLoaded(loadCurrent, [isSignedIn.value, workspaceId.value, environment.value]);
  const { data } = asked;
  useEffect(() => {
    if (!data) return;
    batch(() => {
      current.value = data;
      if (workspaceId.value === undefined) chooseWorkspace(data.workspace.id);
    });
  }, [data]);
  // A reload shows what this tab has applied before.
  useEffect(() => {
    const id = data?.workspace.id;
    if (id === undefined || readKept<number>('profile') === id) return;
    keep('profile', id);
    void takeProfile();
  }, [data?.workspace.id]);
  useEffect(() => {
    if (asked.error instanceof ApiError && asked.error.reason === 'unknown_workspace')
      end(() => t.shell.youAreNotAMember);
  }, [asked.error]);
  if (current.value) return <Shell />;
  return asked.error === undefined ? null : (
    <main class="alone">
      <h1>{t.shell.thePanelCannotStart}</h1>
      <Failure error={asked.error} again={asked.reload} />
    </main>
  );
}
