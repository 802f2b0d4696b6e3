import { useState } from 'preact/hooks';
import { ApiError, type Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { useNames } from '../../app/names.ts';
import { linkTo } from '../../app/route.ts';
import { mayChange } from '../../app/session.ts';
import { t } from '../../app/texts.ts';
import { attempt } from '../../app/toasts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { filled } from '../../parts/filled.tsx';
import { Field, Form } from '../../parts/form.tsx';
import { Menu } from '../../parts/menu.tsx';
import { UserText } from '../../parts/user-text.tsx';
import type { OneContact } from './one.ts';

type Address = Schema<'ContactAddress'>;

const linkOf = ({ kind, value }: Address) =>
  kind === 'email' ? `mailto:${encodeURIComponent(value)}` : `tel:${value.replaceAll(/[^\d+]/g, '')}`;

/** The e-mail addresses and phone numbers of a contact with their labels. */
export function Addresses({ contact }: { contact: OneContact }) {
  const [edited, setEdited] = useState<Address | 'new'>();
  const { data, reload } = contact;
  if (!data) return null;
  const addresses = data.addresses ?? [];
  const canWrite = mayChange('contacts:write', data);
  if (addresses.length === 0 && !canWrite) return null;
  const path = { id: data.id };
  const makePrimary = async ({ id: addressId }: Address) => {
    const params = { path: { ...path, addressId } };
    const work = () => api.patch('/v1/contacts/{id}/addresses/{addressId}', { params, body: { isPrimary: true } });
    if (await attempt(work)) reload();
  };
  const remove = async ({ id: addressId, kind, value, label, isPrimary }: Address) => {
    const params = { path: { ...path, addressId } };
    const undo = async () => {
      const body = { kind, value, label, isPrimary, force: true };
      await api.post('/v1/contacts/{id}/addresses', { params: { path }, body });
      reload();
    };
    const work = () => api.delete('/v1/contacts/{id}/addresses/{addressId}', { params });
    if (await attempt(work, { said: t.contacts.isRemoved(value), undo })) reload();
  };
  return (
    <section class="card" aria-labelledby="addresses">
      <div class="row">
        <h2 id="addresses">{t.contacts.addresses}</h2>
        {canWrite && (
          <button type="button" class="small" onClick={() => setEdited('new')}>
            {t.contacts.addAnAddress}
          </button>
        )}
      </div>
      {addresses.length === 0 && <p class="hint">{t.contacts.noneYet}</p>}
      <ul class="work">
        {addresses.map((address) => (
          <li key={address.id}>
            <a href={linkOf(address)}>
              <UserText text={address.value} isName />
            </a>
            {address.label && (
              <span class="hint">
                <UserText text={address.label} />
              </span>
            )}
            {address.isPrimary && <Badge>{t.contacts.primary}</Badge>}
            {address.bouncedAt && <Badge tone="warn">{t.contacts.bounced}</Badge>}
            {canWrite && (
              <Menu
                text="…"
                label={t.common.actionsFor(address.value)}
                items={[
                  { text: t.contacts.changeLabel, choose: () => setEdited(address) },
                  ...(address.isPrimary
                    ? []
                    : [{ text: t.contacts.makePrimary, choose: () => void makePrimary(address) }]),
                  { text: t.companies.remove, isDangerous: true, choose: () => void remove(address) },
                ]}
              />
            )}
          </li>
        ))}
      </ul>
      {edited === 'new' && <Add id={data.id} onDone={reload} onClose={() => setEdited(undefined)} />}
      {edited && edited !== 'new' && (
        <Dialog title={t.common.editName(edited.value)} onClose={() => setEdited(undefined)}>
          <Form
            submit={t.common.save}
            onCancel={() => setEdited(undefined)}
            onSubmit={async ({ label = null }) => {
              const params = { path: { ...path, addressId: edited.id } };
              await api.patch('/v1/contacts/{id}/addresses/{addressId}', { params, body: { label } });
              reload();
              setEdited(undefined);
            }}
          >
            <Label value={edited.label} />
          </Form>
        </Dialog>
      )}
    </section>
  );
}

const Label = ({ value }: { value?: string | null }) => (
  <Field label={t.contacts.label} name="label" maxLength={40} value={value ?? null} placeholder={t.contacts.work} />
);

interface AddProps {
  id: number;
  onDone(): void;
  onClose(): void;
}

/** Adds an address; if another contact has it, names that one and offers to share it. */
function Add({ id, onDone, onClose }: AddProps) {
  const [isPhone, setPhone] = useState(false);
  const [takenBy, setTakenBy] = useState<number>();
  const names = useNames('contact', takenBy === undefined ? [] : [takenBy]);
  const free = () => setTakenBy(undefined);
  return (
    <Dialog title={t.contacts.addAnAddress} onClose={onClose}>
      <Form
        submit={takenBy === undefined ? t.contacts.add : t.contacts.useItAnyway}
        onCancel={onClose}
        onSubmit={async ({ value = '', label = null }) => {
          const body = { kind: isPhone ? 'phone' : 'email', value, label, force: takenBy !== undefined } as const;
          try {
            await api.post('/v1/contacts/{id}/addresses', { params: { path: { id } }, body });
          } catch (error) {
            if (!(error instanceof ApiError) || error.reason !== 'address_taken') throw error;
            setTakenBy(Number((error.details as { contactId?: number }).contactId));
            return;
          }
          onDone();
          onClose();
        }}
      >
        <Field
          label={t.contacts.kind}
          name="kind"
          options={[
            ['email', t.common.eMail],
            ['phone', t.common.phone],
          ]}
          onType={(kind) => {
            setPhone(kind === 'phone');
            free();
          }}
        />
        <Field
          label={isPhone ? t.common.phone : t.common.eMail}
          name="value"
          type={isPhone ? 'tel' : 'email'}
          required
          maxLength={isPhone ? 32 : 254}
          onType={free}
        />
        <Label />
        {takenBy !== undefined && (
          <p class="note" role="alert">
            {filled(t.contacts.addressIsTaken, {
              contact: <a href={linkTo(`/contacts/${takenBy}`)}>{names.get(takenBy) ?? `#${takenBy}`}</a>,
            })}
          </p>
        )}
      </Form>
    </Dialog>
  );
}
