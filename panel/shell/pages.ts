import { computed } from '@preact/signals';
import { place, variablesOf } from '../app/route.ts';
import { may } from '../app/session.ts';
import Home from '../pages/home.tsx';
import type { Page } from '../parts/page.ts';

type Later = typeof import('../pages/later.ts');

/** The first page is in the first file; all others are in one that is asked for when the first of them opens. */
const later = (name: keyof Later) => async () => ({ default: (await import('../pages/later.ts'))[name] });

/** Every page of the panel, in the order of the navigation. */
const pages: readonly Page[] = [
  { path: '/home', title: 'Home', icon: 'home', shortcut: 'h', load: async () => ({ default: Home }) },
  {
    path: '/inbox',
    also: ['/inbox/{contactId}'],
    title: 'Inbox',
    icon: 'inbox',
    shortcut: 'i',
    scope: 'contacts:read',
    load: later('inbox'),
  },
  {
    path: '/contacts',
    also: ['/contacts/{id}'],
    title: 'Contacts',
    icon: 'contacts',
    shortcut: 'c',
    scope: 'contacts:read',
    load: later('contacts'),
  },
  {
    path: '/deals',
    also: ['/deals/{id}'],
    title: 'Deals',
    icon: 'deals',
    shortcut: 'd',
    scope: 'deals:read',
    load: later('deals'),
  },
  {
    path: '/tasks',
    title: 'Tasks',
    icon: 'tasks',
    shortcut: 't',
    scope: 'tasks:read',
    load: later('tasks'),
  },
  {
    path: '/finance',
    also: ['/finance/invoices', '/finance/transactions', '/finance/sources'],
    title: 'Finance',
    icon: 'finance',
    shortcut: 'f',
    scope: 'finance:read',
    load: later('finance'),
  },
  {
    path: '/accounts',
    title: 'Accounts',
    icon: 'accounts',
    shortcut: 'a',
    scope: 'telegram:read',
    load: later('accounts'),
  },
  {
    path: '/settings',
    also: [
      '/settings/members',
      '/settings/workspace',
      '/settings/sequences',
      '/settings/sequences/{id}',
      '/settings/agents',
    ],
    title: 'Settings',
    icon: 'settings',
    shortcut: 's',
    load: later('settings'),
  },
  {
    path: '/developers/keys',
    title: 'API keys',
    icon: 'key',
    shortcut: 'k',
    group: 'Developers',
    scope: 'keys:manage',
    load: later('keys'),
  },
  {
    path: '/developers/webhooks',
    also: ['/developers/webhooks/{id}', '/developers/webhooks/{id}/deliveries/{deliveryId}'],
    title: 'Webhooks',
    icon: 'webhook',
    shortcut: 'w',
    group: 'Developers',
    scope: 'webhooks:read',
    load: later('webhooks'),
  },
  {
    path: '/developers/events',
    title: 'Events',
    icon: 'live',
    shortcut: 'e',
    group: 'Developers',
    scope: 'webhooks:read',
    load: later('events'),
  },
  {
    path: '/developers/requests',
    title: 'Requests',
    icon: 'list',
    shortcut: 'r',
    group: 'Developers',
    scope: 'keys:manage',
    load: later('requests'),
  },
  {
    path: '/developers/jobs',
    title: 'Jobs',
    icon: 'clock',
    shortcut: 'j',
    group: 'Developers',
    scope: 'jobs:read',
    load: later('jobs'),
  },
  {
    path: '/developers/reference',
    also: ['/developers/reference/{section}', '/developers/reference/{section}/{name}'],
    title: 'API reference',
    isShared: true,
    icon: 'code',
    group: 'Developers',
    load: later('reference'),
  },
  {
    path: '/developers/mcp',
    title: 'MCP',
    icon: 'plug',
    shortcut: 'm',
    group: 'Developers',
    load: later('mcp'),
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
