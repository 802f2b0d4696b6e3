import { place } from '../app/route.ts';
import type { PageProps } from '../parts/page.ts';
import { Contact } from './contacts/contact.tsx';
import { Dictionary } from './contacts/dictionary.tsx';
import { List } from './contacts/list.tsx';
import { Suppressions } from './contacts/suppressions.tsx';

export default function Contacts({ variables: { id } }: PageProps) {
  const { path } = place.value;
  if (path === '/contacts/tags') return <Dictionary />;
  if (path === '/contacts/suppressions') return <Suppressions />;
  return id === undefined ? <List /> : <Contact key={id} id={Number(id) || 0} />;
}
