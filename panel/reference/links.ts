import { signal } from '@preact/signals';
import { linkTo } from '../app/route.ts';

/** Where the reference stands in the fragment: nowhere else on its own page, below a page of the panel there. */
export const base = signal('');

/** The link to a place of the reference: `/operations/contactsList`. */
export const linkInto = (place: string): string => linkTo(`${base.value}${place}`);
