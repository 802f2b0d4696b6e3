import { go, linkTo, place } from '../../app/route.ts';
import { current, type Environment, environment, may, type Scope } from '../../app/session.ts';
import { sidesOf } from '../../app/sides.ts';
import { t } from '../../app/texts.ts';
import type { IconName } from '../../parts/icon.tsx';
import type { Page } from '../../parts/page.ts';

/** A page to go to, or something to do. */
export interface Command {
  key: string;
  title: string;
  icon: IconName;
  /** Where it leads; without it, `run` does something. */
  href?: string;
  run?(): void;
}

/** What the frame around the pages can do. */
export interface Frame {
  /** Pages that the member sees. */
  pages: readonly Page[];
  switchEnvironment(to: Environment): void;
  switchWorkspace(id: number): void;
  showKeys(): void;
  signOut(): void;
}

/** Returns what leads to the pages and their tabs. */
export const pageCommands = ({ pages }: Frame): Command[] =>
  pages.flatMap(({ path, title, icon }) => {
    const sides = sidesOf(path).filter((side) => side.path !== path);
    const all = [{ path, title }, ...sides.map((side) => ({ path: side.path, title: `${title} · ${side.title}` }))];
    return all.map((one): Command => ({ key: one.path, title: one.title, icon, href: linkTo(one.path) }));
  });

/** What can be made new, on the page that makes it. */
const creations = (): readonly (readonly [path: string, title: string, scope: Scope])[] => [
  ['/contacts', t.contacts.newContact, 'contacts:write'],
  ['/companies', t.companies.newCompany, 'companies:write'],
  ['/deals', t.common.newDeal, 'deals:write'],
  ['/tasks', t.common.newTask, 'tasks:write'],
  ['/finance/invoices', t.finance.newInvoice, 'finance:write'],
  ['/finance/transactions', t.finance.newTransaction, 'finance:write'],
  ['/contacts/tags', t.contacts.newTag, 'contacts:write'],
  ['/settings/fields', t.fields.newField, 'fields:manage'],
  ['/settings/pipelines', t.settings.newPipeline, 'pipelines:write'],
  ['/settings/sequences', t.settings.newSequence, 'sequences:write'],
  ['/settings/replies', t.settings.newReply, 'contacts:write'],
  ['/accounts', t.accounts.connectABot, 'accounts:manage'],
  ['/developers/webhooks', t.palette.newEndpoint, 'webhooks:write'],
  ['/developers/keys', t.palette.newKey, 'keys:manage'],
];

/** Returns what the member can do from anywhere. */
export function actionCommands({ switchEnvironment, switchWorkspace, showKeys, signOut }: Frame): Command[] {
  const { workspaces = [], workspace } = current.value ?? {};
  const [other, name] =
    environment.value === 'live' ? (['test', t.shell.sandbox] as const) : (['live', t.common.live] as const);
  return [
    ...creations()
      .filter(([, , scope]) => may(scope))
      .map(([path, title]): Command => ({ key: `new ${path}`, title, icon: 'plus', run: () => openNew(path) })),
    {
      key: 'environment',
      title: t.palette.switchTo(name),
      icon: 'next',
      run: () => switchEnvironment(other),
    },
    ...workspaces
      .filter(({ id }) => id !== workspace?.id)
      .map(
        (one): Command => ({
          key: `workspace ${one.id}`,
          title: t.palette.switchTo(one.name ?? `#${one.id}`),
          icon: 'next',
          run: () => switchWorkspace(one.id),
        }),
      ),
    { key: 'keys', title: t.shell.keyboardShortcuts, icon: 'help', run: showKeys },
    { key: 'sign out', title: t.shell.signOut, icon: 'back', run: signOut },
  ];
}

const openWithinMs = 10_000;

/** Opens the dialog that makes something new on its page, as soon as the page shows its button. */
function openNew(path: string): void {
  const before = document.querySelector('main [data-new]');
  const isThere = place.value.path === path;
  if (isThere && before instanceof HTMLElement) {
    before.click();
    return;
  }
  go(path);
  const main = document.querySelector('main') as HTMLElement;
  const watch = new MutationObserver(() => {
    const button = main.querySelector<HTMLElement>('[data-new]');
    if (place.value.path !== path || !button || button === before) return;
    watch.disconnect();
    button.click();
  });
  watch.observe(main, { childList: true, subtree: true });
  setTimeout(() => watch.disconnect(), openWithinMs);
}
