import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { fileSize } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { attempt, complain } from '../../app/toasts.ts';
import { Icon } from '../../parts/icon.tsx';

const states: Record<Schema<'AttachmentStatus'>, string | undefined> = {
  stored: undefined,
  get pending() {
    return t.inbox.onItsWay;
  },
  get too_large() {
    return t.inbox.tooLargeToBeKept;
  },
  get failed() {
    return t.inbox.couldNotBeFetched;
  },
  get expired() {
    return t.inbox.noLongerKept;
  },
};

interface AttachmentsProps {
  message: Pick<Schema<'Message'>, 'id'>;
  of: readonly Schema<'Attachment'>[];
}

/** The files of a message; they come from the store by links of five minutes, which are asked for when they are needed. */
export function Attachments({ message, of }: AttachmentsProps) {
  if (of.length === 0) return null;
  const download = async (attachmentId: number) => {
    const path = { id: message.id, attachmentId };
    await attempt(async () => {
      const { url } = await api.get('/v1/messages/{id}/attachments/{attachmentId}', { params: { path } });
      if (url === null || !/^https?:/.test(url)) return complain(new Error(t.inbox.theFileIsNotThere));
      // Is answered as an attachment, so that this page stays.
      location.assign(url);
    });
  };
  return (
    <ul class="files">
      {of.map(({ id, fileName, sizeBytes, status }) => (
        <li key={id}>
          <button type="button" class="small" disabled={status !== 'stored'} onClick={() => download(id)}>
            <Icon name="file" />
            <span>{fileName}</span>
            <span class="muted">{states[status] ?? fileSize(sizeBytes)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
