import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { useLoaded } from '../../app/load.ts';
import { linkTo } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { nameOf } from '../../app/show.ts';
import { say } from '../../app/toasts.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Form } from '../../parts/form.tsx';

interface DuplicatesProps {
  of: Schema<'ContactWithTags'>;
  merged(): void;
}

/** Contacts that seem to be the same person; nothing where there are none. */
export function Duplicates({ of, merged }: DuplicatesProps) {
  const found = useLoaded(
    (signal) =>
      api.get('/v1/contacts/{id}/duplicates', { signal, params: { path: { id: of.id }, query: { limit: 5 } } }),
    [of.id, of.username, of.phone, of.email],
  );
  const [chosen, choose] = useState<Schema<'Contact'>>();
  const items = found.data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <section class="card" aria-labelledby="duplicates">
      <h2 id="duplicates">The same person?</h2>
      <ul class="work">
        {items.map((other) => (
          <li key={other.id}>
            <a href={linkTo(`/contacts/${other.id}`)}>{nameOf(other)}</a>
            {may('contacts:write') && other.platform === of.platform && (
              <button type="button" class="small" onClick={() => choose(other)}>
                Merge …
              </button>
            )}
          </li>
        ))}
      </ul>
      {chosen && (
        <Dialog title={`Merge ${nameOf(chosen)} into ${nameOf(of)}?`} onClose={() => choose(undefined)}>
          <Form
            submit="Merge"
            isDangerous
            onCancel={() => choose(undefined)}
            onSubmit={async () => {
              const body = { sourceContactId: chosen.id };
              await api.post('/v1/contacts/{id}/merge', { params: { path: { id: of.id } }, body });
              choose(undefined);
              found.reload();
              merged();
              say(`${nameOf(chosen)} is now part of ${nameOf(of)}.`);
            }}
          >
            <p>
              Messages, notes, tags, deals and tasks of {nameOf(chosen)} go to {nameOf(of)}, and what is not known
              there. This cannot be undone.
            </p>
          </Form>
        </Dialog>
      )}
    </section>
  );
}
