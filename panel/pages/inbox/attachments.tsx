import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { fileSize } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { attempt, complain } from '../../app/toasts.ts';
import { Icon } from '../../parts/icon.tsx';
import { UserText } from '../../parts/user-text.tsx';

type Attachment = Schema<'Attachment'>;

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
  of: readonly Attachment[];
}

/** Returns a link of five minutes to the bytes of a file; undefined where they are not there. */
async function linkTo(messageId: number, attachmentId: number): Promise<string | undefined> {
  const path = { id: messageId, attachmentId };
  const { url } = await api.get('/v1/messages/{id}/attachments/{attachmentId}', { params: { path } });
  return url !== null && /^https?:/.test(url) ? url : undefined;
}

/** The files of a message. */
export const Attachments = ({ message, of }: AttachmentsProps) =>
  of.length === 0 ? null : (
    <ul class="files">
      {of.map((one) => (
        <li key={one.id}>
          <Download messageId={message.id} of={one} />
        </li>
      ))}
    </ul>
  );

interface FileProps {
  messageId: number;
  of: Attachment;
}

function Download({ messageId, of: { id, fileName, sizeBytes, status } }: FileProps) {
  const download = () =>
    attempt(async () => {
      const url = await linkTo(messageId, id);
      if (url === undefined) return complain(new Error(t.inbox.theFileIsNotThere));
      // Is answered as an attachment, so that this page stays.
      location.assign(url);
    });
  return (
    <button type="button" class="small" disabled={status !== 'stored'} onClick={download}>
      <Icon name="file" />
      <UserText text={fileName} isName />
      <span class="muted">{states[status] ?? fileSize(sizeBytes)}</span>
    </button>
  );
}
