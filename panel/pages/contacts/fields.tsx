import { platforms } from '../../app/channels.ts';
import { t } from '../../app/texts.ts';
import { Field } from '../../parts/form.tsx';

/** What is known about a new contact, in a form. */
export const Fields = () => (
  <>
    <Field label={t.common.name} name="name" maxLength={200} />
    <div class="two">
      <Field label={t.contacts.platform} name="platform" options={platforms} value="telegram" />
      <Field label={t.contacts.userName} name="username" maxLength={65} placeholder={t.contacts.name} />
      <Field label={t.common.phone} name="phone" type="tel" maxLength={32} />
      <Field label={t.common.eMail} name="email" type="email" maxLength={254} />
      <Field label={t.contacts.company} name="company" maxLength={200} />
    </div>
    <Field label={t.contacts.about} name="notes" rows={3} maxLength={10_000} />
    <p class="hint">{t.contacts.aContactNeedsAName}</p>
  </>
);
