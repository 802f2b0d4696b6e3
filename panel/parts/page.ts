import type { ComponentType } from 'preact';
import type { Scope } from '../app/session.ts';
import type { IconName } from './icon.tsx';

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
  group?: 'developers';
  /** Who lacks it does not see the page. */
  scope?: Scope;
  /** Its places are the same in every environment. */
  isShared?: boolean;
  load(): Promise<ComponentType<PageProps>>;
}
