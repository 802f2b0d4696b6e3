import { memberName, type Names } from '../../app/names.ts';
import { linkTo } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { UserText } from '../user-text.tsx';
import { When } from '../when.tsx';

/** A name that leads to its record. */
export const LinkedName = ({ path, name, isLink = true }: { path: string; name: string; isLink?: boolean }) =>
  isLink ? (
    <a href={linkTo(path)}>
      <UserText text={name} isName />
    </a>
  ) : (
    <UserText text={name} isName />
  );

export const CompanyLink = ({ id, name }: { id: number; name: string }) => (
  <LinkedName path={`/companies/${id}`} name={name} isLink={may('companies:read')} />
);

export const Person = ({ names, id }: { names: Names; id: number | null | undefined }) =>
  id === null || id === undefined ? null : <UserText text={memberName(names, id)} isName />;

export const Time = ({ at }: { at: string | null | undefined }) => (at ? <When at={at} /> : null);

export const Text = ({ text }: { text: string | null | undefined }) => (text ? <UserText text={text} isName /> : null);
