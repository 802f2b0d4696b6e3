import { sidesOf } from '../../app/sides.ts';
import { t } from '../../app/texts.ts';
import { Tabs } from '../../parts/tabs.tsx';

/** The lists around contacts. */
export const Sides = ({ open }: { open: string }) => (
  <Tabs label={t.common.contacts} open={open} tabs={sidesOf('/contacts')} />
);
