import type { PageProps } from '../parts/page.ts';
import { Contact } from './contacts/contact.tsx';
import { List } from './contacts/list.tsx';

export default function Contacts({ variables: { id } }: PageProps) {
  return id === undefined ? <List /> : <Contact key={id} id={Number(id) || 0} />;
}
