import type { Schema } from '../../../client/index.ts';
import { platforms } from '../../app/channels.ts';
import { Field } from '../../parts/form.tsx';

/** What is known about a contact, in a form. */
export const Fields = ({ contact, isNew = false }: { contact?: Schema<'ContactWithTags'>; isNew?: boolean }) => (
  <>
    <Field label="Name" name="name" maxLength={200} value={contact?.name} />
    <div class="two">
      {isNew && <Field label="Platform" name="platform" options={platforms} value="telegram" />}
      <Field label="User name" name="username" maxLength={65} value={contact?.username} placeholder="@name" />
      <Field label="Phone" name="phone" type="tel" maxLength={32} value={contact?.phone} />
      <Field label="E-mail" name="email" type="email" maxLength={254} value={contact?.email} />
      <Field label="Company" name="company" maxLength={200} value={contact?.company} />
    </div>
    <Field label="About" name="notes" rows={3} maxLength={10_000} value={contact?.notes} />
    {isNew && <p class="hint">A contact needs a name, a user name or a phone number.</p>}
  </>
);
