import { computed } from '@preact/signals';
import type { Page } from './page.ts';
import { place, variablesOf } from './route.ts';
import { may } from './session.ts';

/** Every page of the panel, in the order of the navigation. */
const pages: readonly Page[] = [
  { path: '/home', title: 'Home', icon: 'home', shortcut: 'h', load: () => import('../pages/home.tsx') },
  {
    path: '/inbox',
    also: ['/inbox/{contactId}'],
    title: 'Inbox',
    icon: 'inbox',
    shortcut: 'i',
    scope: 'contacts:read',
    load: () => import('../pages/inbox.tsx'),
  },
  {
    path: '/contacts',
    also: ['/contacts/{id}'],
    title: 'Contacts',
    icon: 'contacts',
    shortcut: 'c',
    scope: 'contacts:read',
    load: () => import('../pages/contacts.tsx'),
  },
  {
    path: '/deals',
    also: ['/deals/{id}'],
    title: 'Deals',
    icon: 'deals',
    shortcut: 'd',
    scope: 'deals:read',
    load: () => import('../pages/deals.tsx'),
  },
  {
    path: '/tasks',
    title: 'Tasks',
    icon: 'tasks',
    shortcut: 't',
    scope: 'tasks:read',
    load: () => import('../pages/tasks.tsx'),
  },
  {
    path: '/finance',
    also: ['/finance/invoices', '/finance/transactions', '/finance/sources'],
    title: 'Finance',
    icon: 'finance',
    shortcut: 'f',
    scope: 'finance:read',
    load: () => import('../pages/finance.tsx'),
  },
  {
    path: '/accounts',
    title: 'Accounts',
    icon: 'accounts',
    shortcut: 'a',
    scope: 'telegram:read',
    load: () => import('../pages/accounts.tsx'),
  },
  {
    path: '/developers/reference',
    also: ['/developers/reference/{section}', '/developers/reference/{section}/{name}'],
    title: 'API reference',
    icon: 'code',
    group: 'Developers',
    load: () => import('../pages/developers/reference.tsx'),
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
