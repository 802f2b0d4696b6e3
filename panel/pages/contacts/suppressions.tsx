import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { useLoaded } from '../../app/load.ts';
import { place } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { attempt } from '../../app/toasts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Field, Form } from '../../parts/form.tsx';
import { Head } from '../../parts/head.tsx';
import { cursor, Paged } from '../../parts/paged.tsx';
import { When } from '../../parts/when.tsx';
import { Sides } from './sides.tsx';

type Suppression = Schema<'Suppression'>;

/** The addresses to which no sequence writes. */
export function Suppressions() {
  const list = useLoaded(
    (signal) => api.get('/v1/email/suppressions', { signal, params: { query: { limit: 100, after: cursor() } } }),
    [String(place.value.query)],
    ({ event }) => /^(contact\.unsubscribed|email\.)/.test(event),
  );
  const [isAdding, setAdding] = useState(false);
  const canWrite = may('email:send');
  const remove = async (address: string) => {
    const work = () => api.delete('/v1/email/suppressions', { params: { query: { address } } });
    if (await attempt(work, { said: t.contacts.sequenceMailsAgain(address) })) list.reload();
  };
  const actions = {
    title: t.common.actions,
    isHidden: true,
    show: ({ address }: Suppression) =>
      address !== null && (
        <button
          type="button"
          class="small"
          aria-label={t.contacts.allowMailTo(address)}
          onClick={() => void remove(address)}
        >
          {t.contacts.allow}
        </button>
      ),
  };
  return (
    <>
      <Head title={t.contacts.suppressions}>
        {canWrite && (
          <button type="button" class="primary" data-new onClick={() => setAdding(true)}>
            {t.contacts.suppressAnAddress}
          </button>
        )}
      </Head>
      <Sides open="/contacts/suppressions" />
      <Paged
        caption={t.contacts.suppressions}
        of={list}
        columns={[
          { title: t.contacts.address, show: ({ address }) => address ?? t.contacts.erasedAddress },
          {
            title: t.contacts.why,
            show: ({ reasons }) =>
              reasons.map((reason) => (
                <Badge key={reason} tone="warn">
                  {worded(reason)}
                </Badge>
              )),
          },
          { title: t.common.since, isWide: true, show: ({ createdAt }) => <When at={createdAt} /> },
          ...(canWrite ? [actions] : []),
        ]}
        keyOf={({ id }) => id}
        empty={
          <Empty title={t.contacts.nobodyIsSuppressed}>
            <p>{t.contacts.anAddressComesHere}</p>
          </Empty>
        }
      />
      {isAdding && (
        <Dialog title={t.contacts.suppressAnAddress} onClose={() => setAdding(false)}>
          <Form
            submit={t.contacts.add}
            onCancel={() => setAdding(false)}
            onSubmit={async ({ address = '' }) => {
              await api.post('/v1/email/suppressions', { body: { address } });
              setAdding(false);
              list.reload();
            }}
          >
            <Field label={t.common.eMail} name="address" type="email" required maxLength={254} />
          </Form>
        </Dialog>
      )}
    </>
  );
}
