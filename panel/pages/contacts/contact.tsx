import { useState } from 'preact/hooks';
import { ApiError, type Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { namesOf, useMemberList } from '../../app/names.ts';
import { linkTo } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { nameOf } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Back } from '../../parts/back.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Form } from '../../parts/form.tsx';
import { Head } from '../../parts/head.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { Details } from './details.tsx';
import { Duplicates } from './duplicates.tsx';
import { Fields } from './fields.tsx';
import type { OneContact } from './one.ts';
import { Standing } from './standing.tsx';
import { Tags } from './tags.tsx';
import { Timeline } from './timeline.tsx';
import { Deals, Tasks } from './work.tsx';

/** One contact with everything that is known of them. */
export function Contact({ id }: { id: number }) {
  const contact: OneContact = useLoaded(
    (signal) => api.get('/v1/contacts/{id}', { signal, params: { path: { id } } }),
    [id],
    touching('contact', 'message'),
  );
  const members = useMemberList();
  const [isEditing, setEditing] = useState(false);
  const { data, error, reload } = contact;
  const back = <Back to={linkTo('/contacts')}>{t.common.contacts}</Back>;
  if (!data)
    return (
      <>
        <Head title={t.common.contact} above={back} />
        {error instanceof ApiError && error.status === 404 ? (
          <Empty title={t.contacts.thereIsNoSuchContact}>
            <p>{t.contacts.itWasMergedIntoAnother}</p>
          </Empty>
        ) : error !== undefined ? (
          <Failure error={error} again={reload} />
        ) : (
          <Skeleton lines={8} />
        )}
      </>
    );
  return (
    <>
      <Head title={nameOf(data)} above={back}>
        {may('contacts:write') && (
          <button type="button" onClick={() => setEditing(true)}>
            {t.common.edit}
          </button>
        )}
        <a class="button primary" href={linkTo(`/inbox/${id}`)}>
          {t.contacts.write}
        </a>
      </Head>
      <div class="beside">
        <div>
          <Timeline id={id} names={namesOf(members)} />
        </div>
        <div>
          <Standing contact={contact} members={members} />
          <Details of={data} />
          <Tags contact={contact} />
          {may('deals:read') && <Deals contact={data} />}
          {may('tasks:read') && <Tasks contact={data} />}
          <Duplicates of={data} merged={reload} />
        </div>
      </div>
      {isEditing && <Edit of={data} onClose={() => setEditing(false)} saved={reload} />}
    </>
  );
}

interface EditProps {
  of: Schema<'ContactWithTags'>;
  onClose(): void;
  saved(): void;
}

const Edit = ({ of, onClose, saved }: EditProps) => (
  <Dialog title={t.contacts.edit(nameOf(of))} onClose={onClose}>
    <Form
      submit={t.common.save}
      onCancel={onClose}
      onSubmit={async ({ name = null, username = null, phone = null, email = null, company = null, notes = null }) => {
        const body = { name, username, phone, email, company, notes };
        await api.patch('/v1/contacts/{id}', { params: { path: { id: of.id } }, body });
        onClose();
        saved();
      }}
    >
      <Fields contact={of} />
    </Form>
  </Dialog>
);
