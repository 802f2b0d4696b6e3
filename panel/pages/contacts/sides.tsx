import { may } from '../../app/session.ts';
import { t } from '../../app/texts.ts';
import { Tabs } from '../../parts/tabs.tsx';

/** The lists around contacts. */
export const Sides = ({ open }: { open: string }) => (
  <Tabs
    label={t.common.contacts}
    open={open}
    tabs={[
      ['/contacts', t.common.contacts],
      ['/contacts/tags', t.contacts.tags],
      ...(may('email:read') ? [['/contacts/suppressions', t.contacts.suppressions] as const] : []),
    ]}
  />
);
