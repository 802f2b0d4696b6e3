import type { Schema } from '../../../client/index.ts';
import { platforms } from '../../app/channels.ts';
import { t } from '../../app/texts.ts';
import { Field } from '../../parts/form.tsx';

/** What is known about a contact, in a form. */
export const Fields = ({ contact, isNew = false }: { contact?: Schema<'ContactWithTags'>; isNew?: boolean }) => (
  <>
    <Field label={t.common.name} name="name" maxLength={200} value={contact?.name} />
    <div class="two">
      {isNew && <Field label={t.contacts.platform} name="platform" options={platforms} value="telegram" />}
      <Field
        label={t.contacts.userName}
        name="username"
        maxLength={65}
        value={contact?.username}
        placeholder={t.contacts.name}
      />
      <Field label={t.common.phone} name="phone" type="tel" maxLength={32} value={contact?.phone} />
      <Field label={t.common.eMail} name="email" type="email" maxLength={254} value={contact?.email} />
      <Field label={t.contacts.company} name="company" maxLength={200} value={contact?.company} />
    </div>
    <Field label={t.contacts.about} name="notes" rows={3} maxLength={10_000} value={contact?.notes} />
    {isNew && <p class="hint">{t.contacts.aContactNeedsAName}</p>}
  </>
);
