import { useState } from 'preact/hooks';
import { api } from '../../app/api.ts';
import { useLoaded } from '../../app/load.ts';
import { linkTo } from '../../app/route.ts';
import { may } from '../../app/session.ts';
import { count } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Dot } from '../../parts/dot.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Field, Form } from '../../parts/form.tsx';
import { Head } from '../../parts/head.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Paged } from '../../parts/paged.tsx';
import { Sides } from './sides.tsx';

type Tag = Awaited<ReturnType<typeof readTags>>['items'][number];

/** All tags are one page. */
const readTags = async (signal: AbortSignal) => ({
  ...(await api.get('/v1/tags', { signal })),
  hasMore: false,
  nextCursor: null,
});

/** The tags of the workspace: renamed, colored, deleted. */
export function Dictionary() {
  const tags = useLoaded(readTags, []);
  const [open, setOpen] = useState<{ tag?: Tag; what: 'edit' | 'delete' }>();
  const close = () => setOpen(undefined);
  const done = () => {
    close();
    tags.reload();
  };
  const canWrite = may('contacts:write');
  const actions = {
    title: t.common.actions,
    isHidden: true,
    show: (tag: Tag) => (
      <Menu
        text={t.common.actions}
        label={t.common.actionsFor(tag.name)}
        items={[
          { text: t.common.edit, choose: () => setOpen({ tag, what: 'edit' }) },
          { text: t.common.delete, isDangerous: true, choose: () => setOpen({ tag, what: 'delete' }) },
        ]}
      />
    ),
  };
  return (
    <>
      <Head title={t.contacts.tags}>
        {canWrite && (
          <button type="button" class="primary" data-new onClick={() => setOpen({ what: 'edit' })}>
            {t.contacts.newTag}
          </button>
        )}
      </Head>
      <Sides open="/contacts/tags" />
      <Paged
        caption={t.contacts.tags}
        of={tags}
        columns={[
          {
            title: t.contacts.tag,
            show: ({ id, name, color }) => (
              <a href={linkTo('/contacts', { filter: JSON.stringify({ field: 'tags', op: 'in', value: [id] }) })}>
                <Dot color={color} /> {name}
              </a>
            ),
          },
          { title: t.common.contacts, isNumber: true, show: ({ contactCount }) => count(contactCount) },
          ...(canWrite ? [actions] : []),
        ]}
        keyOf={({ id }) => id}
        empty={
          <Empty title={t.contacts.noTagsYet}>
            <p>{t.contacts.aTagGathers}</p>
          </Empty>
        }
      />
      {open?.what === 'edit' && <EditTag tag={open.tag} onDone={done} onClose={close} />}
      {open?.what === 'delete' && open.tag && (
        <Confirm
          title={t.contacts.deleteTag(open.tag.name)}
          action={t.common.delete}
          isDangerous
          onClose={close}
          onConfirm={async () => {
            await api.delete('/v1/tags/{id}', { params: { path: { id: open.tag?.id ?? 0 } } });
            tags.reload();
          }}
        >
          <p>{t.contacts.itIsTakenFrom(count(open.tag.contactCount))}</p>
        </Confirm>
      )}
    </>
  );
}

interface EditTagProps {
  tag: Tag | undefined;
  onDone(): void;
  onClose(): void;
}

const EditTag = ({ tag, onDone, onClose }: EditTagProps) => (
  <Dialog title={tag ? t.common.editName(tag.name) : t.contacts.newTag} onClose={onClose}>
    <Form
      submit={t.common.save}
      onCancel={onClose}
      onSubmit={async ({ name = '', color = '' }, { only }) => {
        if (tag) await api.patch('/v1/tags/{id}', { params: { path: { id: tag.id } }, body: only({ name, color }) });
        else await api.post('/v1/tags', { body: { name, color } });
        onDone();
      }}
    >
      <Field label={t.common.name} name="name" required maxLength={50} value={tag?.name} />
      <Field label={t.contacts.color} name="color" type="color" value={tag?.color ?? '#3949ab'} />
    </Form>
  </Dialog>
);
