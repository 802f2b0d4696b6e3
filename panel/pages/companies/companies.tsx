import type { PageProps } from '../../parts/page.ts';
import { Company } from './company.tsx';
import { List } from './list.tsx';

export default function Companies({ variables: { id } }: PageProps) {
  return id === undefined ? <List /> : <Company key={id} id={Number(id) || 0} />;
}
