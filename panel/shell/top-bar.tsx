import { api } from '../app/api.ts';
import { go } from '../app/route.ts';
import { chooseEnvironment, chooseWorkspace, current, type Environment, end, environment } from '../app/session.ts';
import { nameOf, worded } from '../app/show.ts';
import { t } from '../app/texts.ts';
import { attempt } from '../app/toasts.ts';
import { MenuButton } from '../parts/frame.tsx';
import { Icon } from '../parts/icon.tsx';
import { isMenuOpen } from './navigation.tsx';
import { openPage } from './pages.ts';
import { isHelpOpen } from './shortcuts.ts';

export const TopBar = () => (
  <header class="top">
    <MenuButton isOpen={isMenuOpen} />
    <a class="brand" href="#/home">
      CRM
    </a>
    <Workspaces />
    <Environments />
    <button type="button" class="quiet help" onClick={() => (isHelpOpen.value = true)}>
      <Icon name="help" />
      <span class="hidden">{t.shell.keyboardShortcuts}</span>
    </button>
    <Account />
  </header>
);

function Workspaces() {
  const { workspaces = [], workspace } = current.value ?? {};
  if (!workspace) return null;
  if (workspaces.length < 2) return <span class="workspace">{workspace.name}</span>;
  const choose = (id: number) => {
    chooseWorkspace(id);
    go('/home');
  };
  return (
    <select
      class="workspace"
      aria-label={t.common.workspace}
      value={workspace.id}
      onChange={(event) => choose(Number(event.currentTarget.value))}
    >
      {workspaces.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  );
}

const environments = (): readonly [Environment, string][] => [
  ['live', t.common.live],
  ['test', t.shell.sandbox],
];

function choose(chosen: Environment): void {
  chooseEnvironment(chosen);
  // What is open there has another id here, or is nothing.
  if (openPage.value && !openPage.value.page.isShared) go(openPage.value.page.path);
}

const Environments = () => (
  <fieldset class="switch">
    <legend class="hidden">{t.shell.environment}</legend>
    {environments().map(([key, text]) => (
      <label key={key}>
        <input
          type="radio"
          name="environment"
          value={key}
          checked={environment.value === key}
          onChange={() => choose(key)}
        />
        <span>{text}</span>
      </label>
    ))}
  </fieldset>
);

function Account() {
  const member = current.value?.member;
  if (!member) return null;
  const signOut = async () => {
    // The cookie stays as long as the session has not ended.
    if (await attempt(() => api.delete('/panel/sessions/current'))) end();
  };
  const openSettings = () => {
    document.getElementById('account')?.hidePopover();
    go('/settings/you');
  };
  return (
    <>
      <button type="button" class="quiet avatar" popovertarget="account" aria-label={t.shell.accountOf(nameOf(member))}>
        {nameOf(member).slice(0, 1).toUpperCase()}
      </button>
      <div id="account" popover="auto">
        <p>
          <strong>{nameOf(member)}</strong>
          <br />
          <span class="muted">{member.email}</span>
          <br />
          <span class="muted">{worded(member.role)}</span>
        </p>
        <button type="button" onClick={openSettings}>
          {t.shell.yourSettings}
        </button>
        <button type="button" onClick={signOut}>
          {t.shell.signOut}
        </button>
      </div>
    </>
  );
}
