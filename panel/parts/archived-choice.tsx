import { worded } from '../app/show.ts';
import { t } from '../app/texts.ts';
import { Choice, filter } from './filters.tsx';

/** The switch of a list between records in use and archived ones. */
export const ArchivedChoice = () => (
  <Choice label={t.common.archived} name="archived" all={worded('active')} options={[['yes', t.common.archived]]} />
);

/** Whether a list shows archived records. */
export const showsArchived = (): boolean => filter('archived') === 'yes';
