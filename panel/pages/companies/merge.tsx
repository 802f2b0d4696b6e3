import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import type { Company } from '../../app/companies.ts';
import { memberName, type Names } from '../../app/names.ts';
import { go } from '../../app/route.ts';
import { count } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { say } from '../../app/toasts.ts';
import { CompanyField, companyIn } from '../../parts/company-field.tsx';
import { shownValue } from '../../parts/custom-fields.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Form } from '../../parts/form.tsx';
import { type Side, SideBySide } from '../../parts/side-by-side.tsx';
import { UserText } from '../../parts/user-text.tsx';

export interface MergeProps {
  of: Company;
  fields: readonly Schema<'Field'>[];
  names: Names;
  onMerged(): void;
}

const sidesWith = (fields: MergeProps['fields'], names: Names): Side<Company>[] => [
  { label: t.common.name, show: ({ name }) => <UserText text={name} /> },
  { label: t.companies.domains, show: ({ domains }) => domains.join(', '), isUnited: true },
  { label: t.companies.website, show: ({ website }) => website },
  { label: t.common.phone, show: ({ phone }) => phone },
  { label: t.companies.address, show: ({ address }) => address && <UserText text={address} /> },
  {
    label: t.contacts.assignedTo,
    show: ({ assignedToUserId: id }) => (id === null ? undefined : memberName(names, id)),
  },
  { label: t.contacts.about, show: ({ notes }) => notes && <UserText text={notes} /> },
  { label: t.common.contacts, show: ({ contactCount }) => count(contactCount), isUnited: true },
  { label: t.companies.openDeals, show: ({ openDealCount }) => count(openDealCount), isUnited: true },
  ...fields.map((field) => ({
    label: field.title,
    show: (of: Company) => shownValue(field, of.fields?.[field.slug], { member: names }),
  })),
];

/** Merges two companies side by side; the page of the one that stays shows the result. */
export const Merge = ({
  of,
  other,
  fields,
  names,
  onMerged,
  onClose,
}: MergeProps & { other: Company; onClose(): void }) => (
  <SideBySide
    records={[of, other]}
    nameOf={({ name }) => name}
    sides={sidesWith(fields, names)}
    hint={t.companies.contactsDealsAndNotesFollow}
    onClose={onClose}
    onMerge={async (kept, gone) => {
      const params = { path: { id: kept.id } };
      await api.post('/v1/companies/{id}/merge', { params, body: { sourceCompanyId: gone.id } });
      onClose();
      say(t.contacts.isNowPartOf(gone.name, kept.name));
      if (kept.id === of.id) onMerged();
      else go(`/companies/${kept.id}`);
    }}
  />
);

/** Asks for the company to merge, then shows both. */
export function MergeAnother(props: MergeProps & { onClose(): void }) {
  const [other, setOther] = useState<Company>();
  const { of, onClose } = props;
  if (other) return <Merge {...props} other={other} />;
  return (
    <Dialog title={t.companies.mergeAnotherInto(of.name)} onClose={onClose}>
      <Form
        submit={t.common.next}
        onCancel={onClose}
        onSubmit={async ({ companyId }) => {
          const id = companyIn(companyId);
          if (id === of.id) throw new Error(t.companies.chooseAnother);
          if (id !== null)
            setOther(await api.get('/v1/companies/{id}', { params: { path: { id }, query: { include: 'fields' } } }));
        }}
      >
        <CompanyField label={t.companies.theOther} required />
      </Form>
    </Dialog>
  );
}
