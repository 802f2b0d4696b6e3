import { useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { useLoaded } from '../../app/load.ts';
import { may } from '../../app/session.ts';
import { t } from '../../app/texts.ts';
import { say } from '../../app/toasts.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { type Edit, Field, Form, type Values } from '../../parts/form.tsx';
import { Menu } from '../../parts/menu.tsx';
import { cursor, Paged } from '../../parts/paged.tsx';
import { UserText } from '../../parts/user-text.tsx';

type SavedReply = Schema<'SavedReply'>;

/** The texts that members answer with again and again: added, changed, deleted. */
export function Replies() {
  const after = cursor();
  const replies = useLoaded(
    (signal) => api.get('/v1/saved-replies', { signal, params: { query: { limit: 100, after } } }),
    [after],
  );
  const [open, setOpen] = useState<{ reply?: SavedReply; isDeleted?: true }>();
  const close = () => setOpen(undefined);
  const canWrite = may('contacts:write');
  const actions = {
    title: t.common.actions,
    isHidden: true,
    show: (reply: SavedReply) => (
      <Menu
        text={t.common.actions}
        label={t.common.actionsFor(reply.name)}
        items={[
          { text: t.common.edit, choose: () => setOpen({ reply }) },
          { text: t.common.delete, isDangerous: true, choose: () => setOpen({ reply, isDeleted: true }) },
        ]}
      />
    ),
  };
  const { reply, isDeleted } = open ?? {};
  return (
    <>
      <div class="row">
        <p class="muted">{t.settings.typeASlashInTheInbox}</p>
        {canWrite && (
          <button type="button" class="primary" data-new onClick={() => setOpen({})}>
            {t.settings.newReply}
          </button>
        )}
      </div>
      <Paged
        caption={t.common.savedReplies}
        of={replies}
        columns={[
          { title: t.common.name, show: ({ name }) => <UserText text={name} isName /> },
          { title: t.settings.shortcut, show: ({ shortcut }) => shortcut && <code>/{shortcut}</code> },
          { title: t.settings.text, isWide: true, show: ({ text }) => <UserText text={excerpt(text)} isName /> },
          ...(canWrite ? [actions] : []),
        ]}
        keyOf={({ id }) => id}
        skeletonRows={3}
        empty={
          <Empty title={t.settings.noRepliesYet}>
            <p>{t.settings.aReplyIsWrittenOnce}</p>
          </Empty>
        }
      />
      {open && !isDeleted && <EditReply reply={reply} onDone={replies.reload} onClose={close} />}
      {reply && isDeleted && (
        <Confirm
          title={t.settings.deleteReply(reply.name)}
          action={t.common.delete}
          isDangerous
          onClose={close}
          onConfirm={async () => {
            await api.delete('/v1/saved-replies/{id}', { params: { path: { id: reply.id } } });
            replies.reload();
          }}
        >
          <p>{t.settings.messagesSentWithItStay}</p>
        </Confirm>
      )}
    </>
  );
}

const maxExcerpt = 120;

/** Returns the beginning of a text, in one line. */
function excerpt(text: string): string {
  const letters = [...text.replaceAll(/\s+/g, ' ')];
  return letters.length > maxExcerpt ? `${letters.slice(0, maxExcerpt - 1).join('')}…` : letters.join('');
}

interface EditReplyProps {
  /** Undefined for a new one. */
  reply: SavedReply | undefined;
  onDone(): void;
  onClose(): void;
}

const valuesOf = ({ name, shortcut, text }: SavedReply): Values => ({ name, shortcut: shortcut ?? undefined, text });

function EditReply({ reply, onDone, onClose }: EditReplyProps) {
  const save = async ({ name = '', shortcut, text = '' }: Values, { only, header }: Edit) => {
    const body = { name, text, shortcut: shortcut?.toLowerCase() ?? null };
    if (!reply) await api.post('/v1/saved-replies', { body });
    else {
      const changed = only(body);
      const params = { path: { id: reply.id }, header };
      if (Object.keys(changed).length > 0) await api.patch('/v1/saved-replies/{id}', { params, body: changed });
    }
    if (!reply) say(t.parts.saved);
    onDone();
    onClose();
  };
  return (
    <Dialog title={reply ? t.common.editName(reply.name) : t.settings.newReply} onClose={onClose}>
      <Form
        submit={t.common.save}
        of={reply && { path: `/v1/saved-replies/${reply.id}`, valuesOf }}
        onSubmit={save}
        onCancel={onClose}
      >
        <Field label={t.common.name} name="name" required maxLength={80} value={reply?.name} />
        <Field
          label={t.settings.shortcut}
          name="shortcut"
          maxLength={32}
          hint={t.settings.shortcutHint}
          value={reply?.shortcut}
        />
        <Field
          label={t.settings.text}
          name="text"
          rows={6}
          required
          maxLength={4000}
          hint={t.settings.variablesHint}
          value={reply?.text}
        />
      </Form>
    </Dialog>
  );
}
