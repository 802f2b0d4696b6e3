import { api } from '../../app/api.ts';
import { useLoaded } from '../../app/load.ts';
import { linkTo } from '../../app/route.ts';
import { nameOf, worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Pending } from '../../parts/pending.tsx';
import { UserText } from '../../parts/user-text.tsx';
import { When } from '../../parts/when.tsx';
import { stageTones } from '../contacts/stages.ts';

/** The contact of a deal: how to reach them, and when they last wrote. */
export function ContactCard({ id }: { id: number }) {
  const contact = useLoaded(
    (signal) => api.get('/v1/contacts/{id}', { signal, params: { path: { id } } }),
    [id],
    ({ event, data }) => event === 'contact.updated' && (data as { contact_id?: string }).contact_id === String(id),
  );
  const { data, error, reload } = contact;
  return (
    <section class="card" aria-labelledby="contact-card">
      <div class="row">
        <h2 id="contact-card">{t.common.contact}</h2>
        <a class="button small" href={linkTo(`/inbox/${id}`)}>
          {t.contacts.write}
        </a>
      </div>
      <Pending data={data} error={error} reload={reload} lines={3} />
      {data && (
        <ul class="work">
          <li>
            <a href={linkTo(`/contacts/${id}`)}>
              <UserText text={nameOf(data)} />
            </a>
            <Badge tone={stageTones[data.stage]}>{worded(data.stage)}</Badge>
          </li>
          {data.company && (
            <li>
              <UserText text={data.company} />
            </li>
          )}
          {data.email && (
            <li>
              <a href={linkTo(`/inbox/${id}`, { way: 'email' })}>{data.email}</a>
            </li>
          )}
          {data.phone && (
            <li>
              <a href={`tel:${data.phone.replaceAll(/[^\d+]/g, '')}`}>{data.phone}</a>
            </li>
          )}
          {data.lastMessageAt && (
            <li class="hint">
              {t.contacts.lastMessage} <When at={data.lastMessageAt} />
            </li>
          )}
        </ul>
      )}
    </section>
  );
}
