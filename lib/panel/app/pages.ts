import { computed } from '@preact/signals';
import type { ComponentType } from 'preact';
import type { IconName } from '../parts/icon.tsx';
import { may, type Scope } from './session.ts';

/** What a page is given: the variables of its path. */
export interface PageProps {
  variables: Record<string, string>;
}

export interface Page {
  /** `/contacts`; how the navigation links to it. */
  path: string;
  /** Further places that it shows: `/contacts/{id}`. */
  also?: readonly string[];
  title: string;
  icon: IconName;
  /** The letter after `g`. */
  shortcut?: string;
  group?: 'Developers';
  /** Who lacks it does not see the page. */
  scope?: Scope;
  load(): Promise<{ default: ComponentType<PageProps> }>;
}

/** Every page of the panel, in the order of the navigation. */
export const pages: readonly Page[] = [
  { path: '/home', title: 'Home', icon: 'home', shortcut: 'h', load: () => import('../pages/home.tsx') },
  {
    path: '/contacts',
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
];

export const visiblePages = computed(() => pages.filter(({ scope }) => scope === undefined || may(scope)));
