import type { ComponentChildren } from 'preact';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { type Company, domainsIn } from '../../app/companies.ts';
import { memberName, namesOf } from '../../app/names.ts';
import { mayChange } from '../../app/session.ts';
import { nameOf } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Address } from '../../parts/address.tsx';
import { Field, type Values } from '../../parts/form.tsx';
import { InPlace } from '../../parts/in-place.tsx';
import { UserText, userText } from '../../parts/user-text.tsx';
import { When } from '../../parts/when.tsx';
import type { OneCompany } from './one.ts';

const valuesOf = (company: Company): Values => ({
  name: company.name,
  domains: company.domains.join(', ') || undefined,
  website: company.website ?? undefined,
  phone: company.phone ?? undefined,
  address: company.address ?? undefined,
  notes: company.notes ?? undefined,
  assignedToUserId: company.assignedToUserId === null ? undefined : String(company.assignedToUserId),
});
type Name = keyof ReturnType<typeof bodyOf>;

const bodyOf = (given: Values) => ({
  name: given['name'] ?? '',
  domains: domainsIn(given['domains']),
  website: given['website'] ?? null,
  phone: given['phone'] ?? null,
  address: given['address'] ?? null,
  notes: given['notes'] ?? null,
  assignedToUserId: given['assignedToUserId'] === undefined ? null : Number(given['assignedToUserId']),
});

/** A link to a website, which may have been written without its protocol. */
const Website = ({ address }: { address: string }) => (
  <a href={/^https?:\/\//i.test(address) ? address : `https://${address}`} target="_blank" rel="noopener noreferrer">
    <Address text={address.replace(/^https?:\/\/(www\.)?/i, '')} />
  </a>
);

interface DetailsProps {
  company: OneCompany;
  members: readonly Schema<'Member'>[];
}

/** What is known of a company, edited in place. */
export function Details({ company, members }: DetailsProps) {
  const { data } = company;
  if (!data) return null;
  const { id, name, domains, website, phone, address, notes, assignedToUserId: ownerId, createdAt } = data;
  const line = (
    of: Name,
    label: string,
    shown: ComponentChildren,
    field: Partial<Parameters<typeof Field>[0]>,
    isLink = false,
  ) => (
    <InPlace
      label={label}
      shown={shown}
      isLink={isLink}
      isFixed={!mayChange('companies:write', data)}
      of={{ path: `/v1/companies/${id}`, valuesOf }}
      onSave={async (values, { only, header }) => {
        const body = only({ [of]: bodyOf(values)[of] });
        if (!(of in body)) return;
        const saved = await api.patch('/v1/companies/{id}', { params: { path: { id }, header }, body });
        company.change((before) => ({ ...before, ...saved }));
      }}
    >
      <Field label={label} name={of} value={valuesOf(data)[of] ?? null} {...field} />
    </InPlace>
  );
  const long = (text: string | null) =>
    text && (
      <span class="text" {...userText}>
        {text}
      </span>
    );
  const others = members.filter((member) => member.isActive || member.id === ownerId);
  return (
    <section class="card" aria-label={t.contacts.details}>
      <dl class="details">
        {line('name', t.common.name, <UserText text={name} />, { maxLength: 200, required: true })}
        {line('domains', t.companies.domains, domains.join(', '), {
          hint: t.companies.contactsOfTheseDomainsAreLinked,
        })}
        {line('website', t.companies.website, website && <Website address={website} />, { maxLength: 2048 }, true)}
        {line(
          'phone',
          t.common.phone,
          phone && <a href={`tel:${phone.replaceAll(/[^\d+]/g, '')}`}>{phone}</a>,
          { type: 'tel', maxLength: 32 },
          true,
        )}
        {line('address', t.companies.address, long(address), { rows: 3, maxLength: 500 })}
        {line('assignedToUserId', t.contacts.assignedTo, ownerId !== null && memberName(namesOf(members), ownerId), {
          options: [['', t.common.nobody], ...others.map((member) => [member.id, nameOf(member)] as const)],
        })}
        <div>
          <dt>{t.contacts.knownSince}</dt>
          <dd>
            <When at={createdAt} />
          </dd>
        </div>
        {line('notes', t.contacts.about, long(notes), { rows: 4, maxLength: 10_000 })}
      </dl>
    </section>
  );
}
