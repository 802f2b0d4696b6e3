import { computed } from '@preact/signals';
import type { ComponentType } from 'preact';
import { speakOf } from '../app/languages.ts';
import { files } from '../app/load.ts';
import { place, variablesOf } from '../app/route.ts';
import { may } from '../app/session.ts';
import { t } from '../app/texts.ts';
import Home from '../pages/home.tsx';
import type { Page, PageProps } from '../parts/page.ts';
import type { Areas } from '../texts/type.ts';

/** The first page comes with the shell. The others are in two files, asked for when the first page of each opens, with texts of an area. */
export async function work(area?: keyof Areas) {
  const [pages] = await Promise.all([import('../pages/work.ts'), area && speakOf(area)]);
  return pages;
}

async function setUp(area?: keyof Areas) {
  const [pages] = await Promise.all([import('../pages/set-up.ts'), area && speakOf(area)]);
  return pages;
}

files.work = work;

/** Every page of the panel, in the order of the navigation. */
const pages: readonly Page[] = [
  {
    path: '/home',
    get title() {
      return t.common.home;
    },
    icon: 'home',
    shortcut: 'h',
    load: async () => Home,
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
    load: async () => (await work()).inbox,
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
    load: async () => (await work()).contacts,
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
    load: async () => (await work()).companies,
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
    load: async () => (await work()).deals,
  },
  {
    path: '/tasks',
    get title() {
      return t.common.tasks;
    },
    icon: 'tasks',
    shortcut: 't',
    scope: 'tasks:read',
    load: async () => (await work()).tasks,
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
    load: async () => (await setUp('settings')).finance,
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
    load: async () => (await work('sheets')).imports,
  },
  {
    path: '/accounts',
    get title() {
      return t.common.accounts;
    },
    icon: 'accounts',
    shortcut: 'a',
    scope: 'telegram:read',
    load: async () => (await setUp('settings')).accounts,
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
    load: async () => (await setUp('settings')).settings,
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
    load: async () => (await setUp('developers')).keys,
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
    load: async () => (await setUp('developers')).webhooks,
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
    load: async () => (await setUp('developers')).events,
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
    load: async () => (await setUp('developers')).requests,
  },
  {
    path: '/developers/audit',
    get title() {
      return t.audit.title;
    },
    icon: 'file',
    group: 'developers',
    scope: 'keys:manage',
    load: async () => (await setUp()).audit,
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
    load: async () => (await setUp('developers')).jobs,
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
    load: async () => (await setUp('developers')).reference,
  },
  {
    path: '/developers/mcp',
    title: 'MCP',
    icon: 'plug',
    shortcut: 'm',
    group: 'developers',
    load: async () => (await setUp('developers')).mcp,
  },
];

/** What pages show, once their code is there. */
export const shown = new Map<Page, ComponentType<PageProps>>();

export async function loadPage(page: Page): Promise<ComponentType<PageProps>> {
  const show = await page.load();
  shown.set(page, show);
  return show;
}

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
