import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../../app/api.ts';
import { withQuery } from '../../app/route.ts';
import { current } from '../../app/session.ts';
import { t } from '../../app/texts.ts';
import { attempt, say } from '../../app/toasts.ts';
import { Confirm } from '../confirm.tsx';
import { Dialog } from '../dialog.tsx';
import { Field, Form } from '../form.tsx';
import { Menu } from '../menu.tsx';
import type { Question } from '../table/question.ts';
import { UserText } from '../user-text.tsx';
import { type FilterField, fieldNamed, type SearchedObject } from './fields.ts';
import type { View } from './question.ts';

interface ViewsProps {
  views: readonly View[];
  value: Question;
  canWrite: boolean;
  /** Takes over a view as it is now. */
  onSaved(view: View): void;
  onRemoved(view: View): void;
}

/** Returns the members of a body that keep what a table shows, without columns that are gone. */
export const contentsOf = ({ filter, sort, columns = [] }: Question, fields: readonly FilterField[]) => ({
  filter: filter ?? null,
  sort: [...sort],
  columns: columns.filter((name) => fieldNamed(fields, name) !== undefined),
});

/** Returns the link to a view as it is kept, or to all records. */
export const linkToView = (id: number | undefined): string =>
  withQuery({ view: id, filter: undefined, sort: undefined, columns: undefined });

/** All records, and the saved views, as tabs; the open one with what can be done to it. */
export function Views({ views, value, canWrite, onSaved, onRemoved }: ViewsProps) {
  const [dialog, setDialog] = useState<'rename' | 'remove'>();
  const tabs = useRef<HTMLElement>(null);
  const open = views.find(({ id }) => id === value.viewId);
  useEffect(
    () => tabs.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
    [open?.id],
  );
  const close = () => setDialog(undefined);
  const patch = (view: View, body: { name?: string; isShared?: boolean }) =>
    api.patch('/v1/views/{id}', { params: { path: { id: view.id } }, body });
  const share = async (view: View, isShared: boolean) => {
    const set = (to: boolean) => patch(view, { isShared: to }).then(onSaved);
    await attempt(() => set(isShared), { said: t.filters.isSaved(view.name), undo: () => set(!isShared) });
  };
  const isOwn = open !== undefined && open.ownerUserId === current.value?.member.id;
  return (
    <div class="views">
      <nav ref={tabs} class="tabs" aria-label={t.filters.views}>
        <a href={linkToView(undefined)} aria-current={open ? undefined : 'page'}>
          {t.filters.all}
        </a>
        {views.map((view) => (
          <a
            key={view.id}
            href={linkToView(view.id)}
            aria-current={view === open ? 'page' : undefined}
            title={view.isShared ? undefined : t.filters.private}
          >
            <UserText text={view.name} />
          </a>
        ))}
      </nav>
      {open && canWrite && (
        <Menu
          text="⋯"
          label={t.common.actionsFor(open.name)}
          items={[
            { text: t.filters.rename, choose: () => setDialog('rename') },
            ...(open.isShared
              ? isOwn
                ? [{ text: t.filters.unshare, choose: () => void share(open, false) }]
                : []
              : [{ text: t.filters.shareWithAll, choose: () => void share(open, true) }]),
            { text: t.filters.removeView, isDangerous: true, choose: () => setDialog('remove') },
          ]}
        />
      )}
      {open && dialog === 'rename' && (
        <Dialog title={t.common.editName(open.name)} onClose={close}>
          <Form
            submit={t.common.save}
            onCancel={close}
            onSubmit={async ({ name = '' }) => {
              onSaved(await patch(open, { name }));
              close();
            }}
          >
            <Field label={t.filters.nameOfTheView} name="name" value={open.name} required maxLength={80} />
          </Form>
        </Dialog>
      )}
      {open && dialog === 'remove' && (
        <Confirm
          title={t.filters.removeViewTitle(open.name)}
          action={t.filters.removeView}
          isDangerous
          onClose={close}
          onConfirm={async () => {
            await api.delete('/v1/views/{id}', { params: { path: { id: open.id } } });
            say(t.filters.isRemoved(open.name));
            onRemoved(open);
          }}
        >
          <p>{open.isShared ? t.filters.removingIsForAll : t.filters.removingOnlyYours}</p>
        </Confirm>
      )}
    </div>
  );
}

interface SaveViewProps {
  object: SearchedObject;
  fields: readonly FilterField[];
  value: Question;
  onSaved(view: View): void;
  onClose(): void;
}

/** Saves what a table shows under a name. */
export const SaveView = ({ object, fields, value, onSaved, onClose }: SaveViewProps) => (
  <Dialog title={t.filters.saveAsView} onClose={onClose}>
    <Form
      submit={t.common.save}
      onCancel={onClose}
      onSubmit={async ({ name = '', isShared }) => {
        const body = { object, name, isShared: isShared !== undefined, ...contentsOf(value, fields) };
        onSaved(await api.post('/v1/views', { body }));
      }}
    >
      <Field label={t.filters.nameOfTheView} name="name" required maxLength={80} />
      <label class="check">
        <input type="checkbox" name="isShared" />
        {t.filters.share}
      </label>
    </Form>
  </Dialog>
);
