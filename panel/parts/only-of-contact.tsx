import { linkTo, withQuery } from '../app/route.ts';
import { filter } from './filters.tsx';

/** The contact to whom a link has narrowed a list; undefined for everybody. */
export const contactFilter = (): number | undefined => Number(filter('contact')) || undefined;

/** Says so, with a way back to the whole list. */
export function OnlyOfContact() {
  const id = contactFilter();
  if (id === undefined) return null;
  return (
    <p class="hint only">
      Only those of <a href={linkTo(`/contacts/${id}`)}>one contact</a> are shown.{' '}
      <a href={withQuery({ contact: undefined })}>Show all</a>
    </p>
  );
}
