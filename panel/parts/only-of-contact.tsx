import { linkTo, withQuery } from '../app/route.ts';
import { t } from '../app/texts.ts';
import { filled } from './filled.tsx';
import { filter } from './filters.tsx';

/** The contact to whom a link has narrowed a list; undefined for everybody. */
export const contactFilter = (): number | undefined => Number(filter('contact')) || undefined;

/** Says so, with a way back to the whole list. */
export function OnlyOfContact() {
  const id = contactFilter();
  if (id === undefined) return null;
  return (
    <p class="hint only">
      {filled(t.parts.onlyThoseOfAreShown, { a: <a href={linkTo(`/contacts/${id}`)}>{t.parts.oneContact}</a> })}{' '}
      <a href={withQuery({ contact: undefined })}>{t.parts.showAll}</a>
    </p>
  );
}
