import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { useAfterFirst } from '../../app/after-first.ts';
import { api } from '../../app/api.ts';
import { useLoaded } from '../../app/load.ts';
import { linkTo } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { nameOf } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { say } from '../../app/toasts.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { filled } from '../../parts/filled.tsx';
import { Form } from '../../parts/form.tsx';

interface DuplicatesProps {
  of: Schema<'ContactWithTags'>;
  merged(): void;
}

/** Contacts that seem to be the same person; nothing where there are none. */
export function Duplicates({ of, merged }: DuplicatesProps) {
  const isTime = useAfterFirst();
  const found = useLoaded(
    async (signal) => {
      if (!isTime) return { items: [] };
      const params = { path: { id: of.id }, query: { limit: 5 } };
      return api.get('/v1/contacts/{id}/duplicates', { signal, params });
    },
    [isTime, of.id, of.username, of.phone, of.email],
  );
  const [chosen, choose] = useState<Schema<'Contact'>>();
  const items = found.data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <section class="card" aria-labelledby="duplicates">
      <h2 id="duplicates">{t.contacts.theSamePerson}</h2>
      <ul class="work">
        {items.map((other) => (
          <li key={other.id}>
            <a href={linkTo(`/contacts/${other.id}`)}>{nameOf(other)}</a>
            {may('contacts:write') && other.platform === of.platform && (
              <button type="button" class="small" onClick={() => choose(other)}>
                {t.contacts.merge}
              </button>
            )}
          </li>
        ))}
      </ul>
      {chosen && (
        <Dialog title={t.contacts.mergeInto(nameOf(chosen), nameOf(of))} onClose={() => choose(undefined)}>
          <Form
            submit={t.contacts.merge2}
            isDangerous
            onCancel={() => choose(undefined)}
            onSubmit={async () => {
              const body = { sourceContactId: chosen.id };
              await api.post('/v1/contacts/{id}/merge', { params: { path: { id: of.id } }, body });
              choose(undefined);
              found.reload();
              merged();
              say(t.contacts.isNowPartOf(nameOf(chosen), nameOf(of)));
            }}
          >
            <p>{filled(t.contacts.messagesNotesTagsDealsAnd, { chosen: nameOf(chosen), of: nameOf(of) })}</p>
          </Form>
        </Dialog>
      )}
    </section>
  );
}
