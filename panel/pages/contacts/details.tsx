import type { ComponentChildren } from 'preact';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { channelNames } from '../../app/channels.ts';
import { linkTo } from '../../app/route.ts';
import { mayChange } from '../../app/session.ts';
import { count, worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Address } from '../../parts/address.tsx';
import { Badge } from '../../parts/badge.tsx';
import { Field, type Values } from '../../parts/form.tsx';
import { InPlace } from '../../parts/in-place.tsx';
import { UserText, userText } from '../../parts/user-text.tsx';
import { When } from '../../parts/when.tsx';
import type { OneContact } from './one.ts';

type Contact = Schema<'ContactWithTags'>;

const names = ['name', 'username', 'phone', 'email', 'company', 'notes'] as const;
type Name = (typeof names)[number];

const valuesOf = (contact: Contact): Values =>
  Object.fromEntries(names.map((name) => [name, contact[name] ?? undefined]));

interface DetailsProps {
  contact: OneContact;
  /** Why no sequence writes to the address. */
  suppressed: readonly Schema<'SuppressionReason'>[];
}

/** What is known of a contact, edited in place. */
export function Details({ contact, suppressed }: DetailsProps) {
  const { data } = contact;
  if (!data) return null;
  const { id, platform, name, username, email, phone, company, leadScore, leadScoreIsAi, createdAt, notes } = data;
  const params = { path: { id } };
  const main = data.companies?.find(({ isPrimary }) => isPrimary);
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
      isFixed={!mayChange('contacts:write', data)}
      of={{ path: `/v1/contacts/${id}`, valuesOf }}
      onSave={async (values, { only, header }) => {
        const changed = only({ [of]: values[of] ?? null });
        if (!(of in changed)) return;
        const query = { include: 'fields,companies,addresses' };
        const saved = await api.patch('/v1/contacts/{id}', { params: { ...params, header, query }, body: changed });
        contact.change((before) => ({ ...before, ...saved }));
      }}
    >
      <Field label={label} name={of} value={data[of]} {...field} />
    </InPlace>
  );
  return (
    <section class="card" aria-label={t.contacts.details}>
      <dl class="details">
        {line('name', t.common.name, name && <UserText text={name} />, { maxLength: 200 })}
        {line(
          'email',
          t.common.eMail,
          email && (
            <>
              <a href={linkTo(`/inbox/${id}`, { way: 'email' })}>
                <Address text={email} />
              </a>{' '}
              {suppressed.map((reason) => (
                <Badge key={reason} tone="warn">
                  {worded(reason)}
                </Badge>
              ))}
            </>
          ),
          { type: 'email', maxLength: 254 },
          true,
        )}
        {line(
          'phone',
          t.common.phone,
          phone && <a href={`tel:${phone.replaceAll(/[^\d+]/g, '')}`}>{phone}</a>,
          { type: 'tel', maxLength: 32 },
          true,
        )}
        {line('username', channelNames[platform], username && `@${username}`, { maxLength: 65 })}
        {main ? (
          <div>
            <dt>{t.contacts.company}</dt>
            <dd>
              <a href={linkTo(`/companies/${main.companyId}`)}>
                <UserText text={main.name} />
              </a>
            </dd>
          </div>
        ) : (
          line('company', t.contacts.company, company && <UserText text={company} />, { maxLength: 200 })
        )}
        {leadScore !== null && (
          <div>
            <dt>{t.contacts.leadScore}</dt>
            <dd>{t.contacts.of100(count(leadScore), leadScoreIsAi ? t.contacts.byAnAgent : '')}</dd>
          </div>
        )}
        {data.lastMessageAt && (
          <div>
            <dt>{t.contacts.lastMessage}</dt>
            <dd>
              <When at={data.lastMessageAt} />
            </dd>
          </div>
        )}
        <div>
          <dt>{t.contacts.knownSince}</dt>
          <dd>
            <When at={createdAt} />
          </dd>
        </div>
        {line(
          'notes',
          t.contacts.about,
          notes && (
            <span class="text" {...userText}>
              {notes}
            </span>
          ),
          { rows: 4, maxLength: 10_000 },
        )}
      </dl>
    </section>
  );
}
