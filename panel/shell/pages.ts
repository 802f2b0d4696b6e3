import { computed } from '@preact/signals';
import { speakOf } from '../app/languages.ts';
import { files } from '../app/load.ts';
import { place, variablesOf } from '../app/route.ts';
import { may } from '../app/session.ts';
import { t } from '../app/texts.ts';
import type { Page } from '../parts/page.ts';

/** The first page and the companies are files of their own; the others are in five, asked for when the first page of each opens. */
const work = (name: keyof typeof import('../pages/work.ts')) => async () => ({
  default: (await import('../pages/work.ts'))[name],
});
const sales = (name: 'deals' | 'tasks') => async () => ({ default: (await import('../pages/sales.ts'))[name] });
const records = (name: keyof typeof import('../pages/records.ts')) => async () => ({
  default: (await import('../pages/records.ts'))[name],
});
const setUp = (name: keyof typeof import('../pages/set-up.ts')) => async () => {
  const [pages] = await Promise.all([import('../pages/set-up.ts'), speakOf('settings')]);
  return { default: pages[name] };
};
const developers = (name: keyof typeof import('../pages/developers.ts')) => async () => {
  const [pages] = await Promise.all([import('../pages/developers.ts'), speakOf('developers')]);
  return { default: pages[name] };
};

files.sales = () => import('../pages/sales.ts');
files.filters = async () => {
  const [bar] = await Promise.all([import('../parts/filter/bar.tsx'), speakOf('filters')]);
  return bar;
};

/** The palette, exports, and imports are in a file of their own. */
files.sheets = async () => {
  const [{ ExportDialog }] = await Promise.all([import('../pages/tools.ts'), speakOf('sheets')]);
  return { ExportDialog };
};

/** Every page of the panel, in the order of the navigation. */
const pages: readonly Page[] = [
  {
    path: '/home',
    get title() {
      return t.common.home;
    },
    icon: 'home',
    shortcut: 'h',
    load: () => import('../pages/home.tsx'),
  },
  {
    path: '/inbox',
    also: ['/inbox/{contactId}', '/inbox/thread/{threadId}'],
    get title() {
      return t.common.inbox;
    },
    icon: 'inbox',
    shortcut: 'i',
    scope: 'contacts:read',
    load: work('inbox'),
  },
  {
    path: '/contacts',
    also: ['/contacts/tags', '/contacts/suppressions', '/contacts/{id}'],
    get title() {
      return t.common.contacts;
    },
    icon: 'contacts',
    shortcut: 'c',
    scope: 'contacts:read',
    load: records('contacts'),
  },
  {
    path: '/companies',
    also: ['/companies/{id}'],
    get title() {
      return t.companies.companies;
    },
    icon: 'company',
    shortcut: 'o',
    scope: 'companies:read',
    load: () => import('../pages/companies/companies.tsx'),
  },
  {
    path: '/deals',
    also: ['/deals/{id}'],
    get title() {
      return t.common.deals;
    },
    icon: 'deals',
    shortcut: 'd',
    scope: 'deals:read',
    load: sales('deals'),
  },
  {
    path: '/tasks',
    get title() {
      return t.common.tasks;
    },
    icon: 'tasks',
    shortcut: 't',
    scope: 'tasks:read',
    load: sales('tasks'),
  },
  {
    path: '/finance',
    also: ['/finance/invoices', '/finance/invoices/{id}', '/finance/transactions', '/finance/sources'],
    get title() {
      return t.common.finance;
    },
    icon: 'finance',
    shortcut: 'f',
    scope: 'finance:read',
    load: setUp('finance'),
  },
  {
    path: '/import',
    also: ['/import/exports', '/import/{id}'],
    get title() {
      return t.common.importRecords;
    },
    icon: 'file',
    shortcut: 'p',
    scope: 'imports:run',
    load: async () => {
      const [{ imports }] = await Promise.all([import('../pages/tools.ts'), speakOf('sheets')]);
      return { default: imports };
    },
  },
  {
    path: '/accounts',
    get title() {
      return t.common.accounts;
    },
    icon: 'accounts',
    shortcut: 'a',
    scope: 'telegram:read',
    load: setUp('accounts'),
  },
  {
    path: '/settings',
    also: [
      '/settings/you',
      '/settings/members',
      '/settings/workspace',
      '/settings/fields',
      '/settings/pipelines',
      '/settings/sequences',
      '/settings/sequences/{id}',
      '/settings/replies',
      '/settings/agents',
    ],
    get title() {
      return t.common.settings;
    },
    icon: 'settings',
    shortcut: 's',
    load: setUp('settings'),
  },
  {
    path: '/developers/keys',
    get title() {
      return t.common.apiKeys;
    },
    icon: 'key',
    shortcut: 'k',
    group: 'developers',
    scope: 'keys:manage',
    load: developers('keys'),
  },
  {
    path: '/developers/webhooks',
    also: ['/developers/webhooks/{id}', '/developers/webhooks/{id}/deliveries/{deliveryId}'],
    get title() {
      return t.common.webhooks;
    },
    icon: 'webhook',
    shortcut: 'w',
    group: 'developers',
    scope: 'webhooks:read',
    load: developers('webhooks'),
  },
  {
    path: '/developers/events',
    get title() {
      return t.common.events;
    },
    icon: 'live',
    shortcut: 'e',
    group: 'developers',
    scope: 'webhooks:read',
    load: developers('events'),
  },
  {
    path: '/developers/requests',
    get title() {
      return t.common.requests;
    },
    icon: 'list',
    shortcut: 'r',
    group: 'developers',
    scope: 'keys:manage',
    load: developers('requests'),
  },
  {
    path: '/developers/audit',
    get title() {
      return t.audit.title;
    },
    icon: 'file',
    group: 'developers',
    scope: 'keys:manage',
    load: records('audit'),
  },
  {
    path: '/developers/jobs',
    get title() {
      return t.common.jobs;
    },
    icon: 'clock',
    shortcut: 'j',
    group: 'developers',
    scope: 'jobs:read',
    load: developers('jobs'),
  },
  {
    path: '/developers/reference',
    also: ['/developers/reference/{section}', '/developers/reference/{section}/{name}'],
    get title() {
      return t.shell.apiReference;
    },
    isShared: true,
    icon: 'code',
    group: 'developers',
    load: developers('reference'),
  },
  {
    path: '/developers/mcp',
    title: 'MCP',
    icon: 'plug',
    shortcut: 'm',
    group: 'developers',
    load: developers('mcp'),
  },
];

export const visiblePages = computed(() => pages.filter(({ scope }) => scope === undefined || may(scope)));

/** The page that is open; undefined where there is none. */
export const openPage = computed(() => {
  for (const page of pages) {
    for (const pattern of [page.path, ...(page.also ?? [])]) {
      const variables = variablesOf(pattern, place.value.path);
      if (variables) return { page, variables };
    }
  }
  return undefined;
});
