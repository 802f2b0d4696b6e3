import { may, type Scope } from './session.ts';
import { t } from './texts.ts';

/** One of the places that a page shows by its tabs. */
interface Side {
  path: string;
  title: string;
  /** Who lacks it does not see it. */
  scope?: Scope;
}

/** The tabs of pages, by the paths of these. The texts of some load with their page. */
const sides: Readonly<Record<string, () => readonly Side[]>> = {
  '/contacts': () => [
    { path: '/contacts', title: t.common.contacts },
    { path: '/contacts/tags', title: t.contacts.tags },
    { path: '/contacts/suppressions', title: t.contacts.suppressions, scope: 'email:read' },
  ],
  '/finance': () => [
    { path: '/finance', title: t.finance.summary },
    { path: '/finance/invoices', title: t.finance.invoices },
    { path: '/finance/transactions', title: t.finance.transactions },
    { path: '/finance/sources', title: t.finance.revenueSources },
  ],
  '/import': () => [
    { path: '/import', title: t.common.importRecords },
    { path: '/import/exports', title: t.common.exports, scope: 'exports:run' },
  ],
  '/settings': () => [
    { path: '/settings/members', title: t.settings.members, scope: 'contacts:read' },
    { path: '/settings/workspace', title: t.common.workspace },
    { path: '/settings/fields', title: t.fields.fields, scope: 'fields:manage' },
    { path: '/settings/pipelines', title: t.settings.pipelines, scope: 'pipelines:read' },
    { path: '/settings/sequences', title: t.settings.sequences, scope: 'sequences:read' },
    { path: '/settings/replies', title: t.common.savedReplies, scope: 'contacts:read' },
    { path: '/settings/agents', title: t.settings.agents, scope: 'agents:read' },
    { path: '/settings/you', title: t.settings.yourself },
  ],
};

/** Returns the tabs of a page that the member sees. */
export const sidesOf = (page: string): readonly Side[] =>
  (sides[page]?.() ?? []).filter(({ scope }) => scope === undefined || may(scope));
