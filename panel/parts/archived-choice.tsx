import type { Schema } from '../../client/index.ts';
import { t } from '../app/texts.ts';
import { Badge } from './badge.tsx';
import { Choice, filter } from './filters.tsx';

/** The choice of a list between records in use, archived ones, and both. */
export const ArchivedChoice = () => (
  <Choice
    label={t.common.archived}
    name="archived"
    all={t.parts.no}
    options={[
      ['true', t.parts.onlyArchived],
      ['all', t.common.all],
    ]}
  />
);

/** Returns the choice as lists of the API take it. */
export function whichArchived(): { archived?: 'true' | 'all'; include?: 'archive' } {
  const chosen = filter('archived');
  return chosen === 'true' || chosen === 'all' ? { archived: chosen, include: 'archive' } : {};
}

/** Marks an archived record in a list. */
export const ArchivedSign = ({ archive }: { archive?: Schema<'Archive'> | null | undefined }) =>
  archive ? (
    <>
      {' '}
      <Badge>{t.common.archived}</Badge>
    </>
  ) : null;
