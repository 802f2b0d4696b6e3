import { useEffect, useState } from 'preact/hooks';
import { api } from '../../app/api.ts';
import { touchingContact } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { useMemberList } from '../../app/names.ts';
import { may } from '../../app/session.ts';
import { t } from '../../app/texts.ts';
import { UserText } from '../../parts/user-text.tsx';
import { When } from '../../parts/when.tsx';
import type { OneContact } from '../contacts/one.ts';
import { Standing } from '../contacts/standing.tsx';
import { Tags } from '../contacts/tags.tsx';
import { Deals, Tasks } from '../contacts/work.tsx';

const wide = matchMedia('(width >= 75rem)');

/** What is known of a contact beside the conversation, where there is room for it. */
export function Beside({ contact }: { contact: OneContact }) {
  const [isWide, setWide] = useState(wide.matches);
  useEffect(() => {
    const follow = () => setWide(wide.matches);
    wide.addEventListener('change', follow);
    return () => wide.removeEventListener('change', follow);
  }, []);
  return isWide && contact.data ? <Known contact={contact} /> : null;
}

function Known({ contact }: { contact: OneContact }) {
  const members = useMemberList();
  const { data } = contact;
  if (!data) return null;
  return (
    <aside class="known" aria-label={t.inbox.aboutTheContact}>
      <Standing contact={contact} members={members} />
      <Tags contact={contact} />
      {may('deals:read') && <Deals contact={data} />}
      {may('tasks:read') && <Tasks contact={data} />}
      <LastNote id={data.id} />
    </aside>
  );
}

function LastNote({ id }: { id: number }) {
  const notes = useLoaded(
    (signal) =>
      api.get('/v1/contacts/{id}/activities', { signal, params: { path: { id }, query: { type: 'Note', limit: 1 } } }),
    [id],
    touchingContact(id, 'contact'),
  );
  const note = notes.data?.items[0];
  if (!note) return null;
  return (
    <section class="card" aria-label={t.inbox.lastNote}>
      <h2>{t.inbox.lastNote}</h2>
      <p class="text">
        <UserText text={note.text ?? ''} />
      </p>
      <p class="hint">
        <When at={note.createdAt} />
      </p>
    </section>
  );
}
