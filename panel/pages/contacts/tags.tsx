import { useId, useRef, useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { useLoaded } from '../../app/load.ts';
import { mayChange } from '../../app/session.ts';
import { t } from '../../app/texts.ts';
import { attempt } from '../../app/toasts.ts';
import { Dot } from '../../parts/dot.tsx';
import { Icon } from '../../parts/icon.tsx';
import type { OneContact } from './one.ts';

type Tag = Schema<'Tag'>;

/** The id of a tag that the API has yet to confirm. */
const pending = 0;

/** The tags of a contact, which come and go at once. */
export function Tags({ contact }: { contact: OneContact }) {
  const [isAdding, setAdding] = useState(false);
  const known = useLoaded(async (signal) => (isAdding ? api.get('/v1/tags', { signal }) : undefined), [isAdding]);
  const field = useRef<HTMLInputElement>(null);
  const list = useId();
  const { data } = contact;
  if (!data) return null;
  const path = { id: data.id };
  const show = (tags: Tag[]) => contact.change((of) => ({ ...of, tags }));
  const before = () => show(data.tags);
  const post = async (tagName: string) =>
    show((await api.post('/v1/contacts/{id}/tags', { params: { path }, body: { tagName } })) as Tag[]);

  const add = async (event: Event) => {
    event.preventDefault();
    const name = field.current?.value.trim() ?? '';
    if (name === '') return;
    // Until the API says its id and colour.
    if (!data.tags.some((tag) => tag.name.toLowerCase() === name.toLowerCase()))
      show([...data.tags, { id: pending, name, color: '#888888' }]);
    const isDone = await attempt(() => post(name), { takeBack: before });
    if (isDone && field.current) field.current.value = '';
  };
  const remove = async ({ id, name }: Tag) => {
    show(data.tags.filter((tag) => tag.id !== id));
    const work = () => api.delete('/v1/contacts/{id}/tags/{tagId}', { params: { path: { ...path, tagId: id } } });
    await attempt(work, { said: t.contacts.isRemoved(name), undo: () => post(name), takeBack: before });
  };

  return (
    <section class="card" aria-labelledby={`${list}-title`}>
      <h2 id={`${list}-title`}>{t.contacts.tags}</h2>
      {data.tags.length === 0 && <p class="muted">{t.contacts.noneYet}</p>}
      <ul class="tags">
        {data.tags.map((tag) => (
          <li key={tag.name}>
            <Dot color={tag.color} />
            {tag.name}
            {tag.id !== pending && mayChange('contacts:write', data) && (
              <button
                type="button"
                class="quiet"
                aria-label={t.contacts.removeTheTag(tag.name)}
                onClick={() => remove(tag)}
              >
                <Icon name="close" />
              </button>
            )}
          </li>
        ))}
      </ul>
      {mayChange('contacts:write', data) && (
        <form class="inline" onSubmit={add}>
          <input
            ref={field}
            list={list}
            onFocus={() => setAdding(true)}
            maxLength={50}
            aria-label={t.contacts.tagToAdd}
            placeholder={t.contacts.addATag}
          />
          <datalist id={list}>
            {known.data?.items.map(({ id, name }) => (
              <option key={id} value={name} />
            ))}
          </datalist>
          <button type="submit">{t.contacts.add}</button>
        </form>
      )}
    </section>
  );
}
