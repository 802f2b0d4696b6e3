import { go } from '../app/route.ts';
import { current, type Environment, environment } from '../app/session.ts';
import { nameOf, worded } from '../app/show.ts';
import { t } from '../app/texts.ts';
import { MenuButton } from '../parts/frame.tsx';
import { Icon } from '../parts/icon.tsx';
import { isMenuOpen } from './navigation.tsx';
import { isHelpOpen, isPaletteOpen } from './shortcuts.ts';
import { signOut, switchEnvironment, switchWorkspace } from './switches.ts';

export const TopBar = () => (
  <header class="top">
    <MenuButton isOpen={isMenuOpen} />
    <a class="brand" href="#/home">
      CRM
    </a>
    <Workspaces />
    <button type="button" class="quiet find" aria-haspopup="dialog" onClick={() => (isPaletteOpen.value = true)}>
      <Icon name="search" />
      <span class="hidden">{t.shell.searchEverything}</span>
    </button>
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
  return (
    <select
      class="workspace"
      aria-label={t.common.workspace}
      value={workspace.id}
      onChange={(event) => switchWorkspace(Number(event.currentTarget.value))}
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
          onChange={() => switchEnvironment(key)}
        />
        <span>{text}</span>
      </label>
    ))}
  </fieldset>
);

function Account() {
  const member = current.value?.member;
  if (!member) return null;
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
