import { useEffect, useRef, useState } from 'preact/hooks';
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

/** Returns how a browser shows a file: pictures that run no script, sound, and video. */
const kindOf = ({ contentType, status }: Attachment) =>
  status === 'stored'
    ? /^(?:(image)\/(?:png|jpeg|gif|webp|avif)|(audio|video)\/)/.exec(contentType)?.slice(1).find(Boolean)
    : undefined;

/** The files of a message. Pictures, sound, and video are shown in place. */
export const Attachments = ({ message, of }: AttachmentsProps) =>
  of.length === 0 ? null : (
    <ul class="files">
      {of.map((one) => {
        const kind = kindOf(one);
        return (
          <li key={one.id}>
            {kind === 'image' && <Picture messageId={message.id} of={one} />}
            {(kind === 'audio' || kind === 'video') && <Played messageId={message.id} of={one} kind={kind} />}
            <Download messageId={message.id} of={one} />
          </li>
        );
      })}
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

/** A picture, asked for when it is scrolled to; a click shows it as large as the window. */
function Picture({ messageId, of: { id, fileName } }: FileProps) {
  const place = useRef<HTMLButtonElement>(null);
  const [url, setUrl] = useState<string>();
  const [isLarge, setLarge] = useState(false);
  useEffect(() => {
    const watch = new IntersectionObserver(([entry]) => {
      if (!entry?.isIntersecting) return;
      watch.disconnect();
      // The name and the button to download stay where it cannot be shown.
      linkTo(messageId, id).then(setUrl, () => undefined);
    });
    if (place.current) watch.observe(place.current);
    return () => watch.disconnect();
  }, []);
  return (
    <button
      ref={place}
      type="button"
      class={isLarge ? 'picture large' : 'picture'}
      aria-expanded={isLarge}
      aria-label={t.inbox.enlarge(fileName)}
      onClick={() => setLarge(!isLarge)}
    >
      {url && <img src={url} alt={fileName} referrerpolicy="no-referrer" />}
    </button>
  );
}

/** Sound or video, asked for when somebody wants to play it. */
function Played({ messageId, of: { id, fileName }, kind }: FileProps & { kind: 'audio' | 'video' }) {
  const [url, setUrl] = useState<string>();
  const Player = kind;
  const play = () =>
    attempt(async () => {
      const found = await linkTo(messageId, id);
      if (found === undefined) throw new Error(t.inbox.theFileIsNotThere);
      setUrl(found);
    });
  if (url === undefined)
    return (
      <button type="button" class="small" onClick={play}>
        {t.inbox.play(fileName)}
      </button>
    );
  return <Player class="played" src={url} controls autoplay aria-label={fileName} />;
}
