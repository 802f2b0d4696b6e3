import { useState } from 'preact/hooks';
import { api } from '../../app/api.ts';
import { everyPage } from '../../app/every-page.ts';
import { touching } from '../../app/live.ts';
import { useLoaded } from '../../app/load.ts';
import { linkTo } from '../../app/route.ts';
import { t } from '../../app/texts.ts';
import { attempt } from '../../app/toasts.ts';
import { Badge } from '../../parts/badge.tsx';
import { Dot } from '../../parts/dot.tsx';
import { Empty } from '../../parts/empty.tsx';
import { choose, filter } from '../../parts/filters.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Ordered } from '../../parts/ordered.tsx';
import { Pending } from '../../parts/pending.tsx';
import { UserText } from '../../parts/user-text.tsx';
import { type Definition, EditField, type FieldObject } from './edit-field.tsx';
import { moved, openOptions } from './field-options.ts';

const objects = ['contact', 'company', 'deal', 'task'] as const satisfies readonly FieldObject[];
const chosenObject = (): FieldObject => objects.find((one) => one === filter('object')) ?? 'contact';

/** The custom fields of each object: made, changed, ordered, archived. */
export function Fields() {
  const object = chosenObject();
  const showsArchived = filter('archived') === 'yes';
  const fields = useLoaded(
    async (signal) => {
      const query = { object, archived: showsArchived ? 'all' : 'false', limit: 100 } as const;
      const { items } = await everyPage((after: number | undefined) =>
        api.get('/v1/fields', { signal, params: { query: { ...query, after } } }),
      );
      return items.sort((a, b) => Number(a.isArchived) - Number(b.isArchived) || a.position - b.position);
    },
    [object, showsArchived],
    touching('field'),
  );
  const [edited, setEdited] = useState<Definition | 'new'>();
  const { data, error, reload } = fields;
  const open = data?.filter(({ isArchived }) => !isArchived) ?? [];
  const archived = data?.filter(({ isArchived }) => isArchived) ?? [];

  const move = async (from: number, to: number) => {
    const field = open[from];
    if (!field || to < 0 || to >= open.length || from === to) return;
    const before = open[to] as Definition;
    fields.change(() => [...moved(open, from, to), ...archived]);
    const done = await attempt(
      () => api.patch('/v1/fields/{id}', { params: { path: { id: field.id } }, body: { position: before.position } }),
      { takeBack: reload },
    );
    if (done) reload();
  };
  const archive = async ({ id, title }: Definition) => {
    const path = { id };
    const restore = () => api.post('/v1/fields/{id}/restore', { params: { path }, body: {} }).then(reload);
    const work = () => api.post('/v1/fields/{id}/archive', { params: { path }, body: {} });
    if (await attempt(work, { said: t.fields.isArchived(title), undo: restore })) reload();
  };
  const restore = async ({ id, title }: Definition) => {
    const work = () => api.post('/v1/fields/{id}/restore', { params: { path: { id } }, body: {} });
    if (await attempt(work, { said: t.fields.isBack(title) })) reload();
  };
  return (
    <>
      <div class="row">
        <nav class="tabs" aria-label={t.fields.objects}>
          {objects.map((one) => (
            <a
              key={one}
              href={linkTo('/settings/fields', { object: one })}
              aria-current={one === object ? 'page' : undefined}
            >
              {t.fields.of[one]}
            </a>
          ))}
        </nav>
        <div class="actions">
          <label class="check">
            <input
              type="checkbox"
              checked={showsArchived}
              onChange={(event) => choose('archived', event.currentTarget.checked ? 'yes' : '')}
            />
            {t.fields.showArchived}
          </label>
          <button type="button" class="primary" data-new onClick={() => setEdited('new')}>
            {t.fields.newField}
          </button>
        </div>
      </div>
      <Pending data={data} error={error} reload={reload} lines={5} />
      {data?.length === 0 && (
        <Empty title={t.fields.noFieldsYet}>
          <p>{t.fields.aFieldKeeps}</p>
        </Empty>
      )}
      {open.length > 0 && (
        <Ordered
          items={open}
          keyOf={({ id }) => id}
          handle={({ title }, at) => t.fields.moveField(title, at, open.length)}
          hint={t.fields.dragOrArrows}
          onMove={move}
        >
          {(field) => (
            <>
              <Known field={field} />
              <Menu
                text={t.common.actions}
                label={t.common.actionsFor(field.title)}
                items={[
                  { text: t.common.edit, choose: () => setEdited(field) },
                  { text: t.fields.archive, isDangerous: true, choose: () => archive(field) },
                ]}
              />
            </>
          )}
        </Ordered>
      )}
      {archived.length > 0 && (
        <section class="card" aria-labelledby="archived-fields">
          <h2 id="archived-fields">{t.fields.archived}</h2>
          <ul class="work">
            {archived.map((field) => (
              <li key={field.id}>
                <Known field={field} />
                <button type="button" class="small" onClick={() => restore(field)}>
                  {t.fields.restore}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {edited && (
        <EditField
          object={object}
          field={edited === 'new' ? undefined : edited}
          onDone={reload}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  );
}

/** What a field is. */
const Known = ({ field: { title, slug, type, options, isRequired, isUnique } }: { field: Definition }) => (
  <div class="known-field">
    <strong>
      <UserText text={title} />
    </strong>{' '}
    <span class="hint">
      {type in t.fields.types ? t.fields.types[type as keyof typeof t.fields.types] : type} · <code>{slug}</code>
    </span>{' '}
    {isRequired && <Badge tone="accent">{t.fields.required}</Badge>} {isUnique && <Badge>{t.fields.unique}</Badge>}
    {options.length > 0 && (
      <p class="hint">
        {openOptions(options)
          .slice(0, 8)
          .map(({ label, color }) => (
            <Badge key={label}>
              <Dot color={color} /> <UserText text={label} />
            </Badge>
          ))}
        {openOptions(options).length > 8 && ' …'}
      </p>
    )}
  </div>
);
