import { useEffect, useRef, useState } from 'preact/hooks';
import type { Schema } from '../../../client/index.ts';
import { api } from '../../app/api.ts';
import { fileSize } from '../../app/show.ts';
import { t } from '../../app/texts.ts';
import { attempt, complain } from '../../app/toasts.ts';
import { Dialog } from '../../parts/dialog.tsx';
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
  /** The thread of a mail that is read by itself. */
  threadId?: number;
  of: readonly Attachment[];
}

/** Asks for a link of five minutes to the bytes of a file; undefined where they are not there. */
type GetLink = (attachmentId: number) => Promise<string | undefined>;

const linksOf =
  ({ message: { id }, threadId }: AttachmentsProps): GetLink =>
  async (attachmentId) => {
    const { url } =
      threadId === undefined
        ? await api.get('/v1/messages/{id}/attachments/{attachmentId}', { params: { path: { id, attachmentId } } })
        : await api.get('/v1/email/threads/{id}/messages/{messageId}/attachments/{attachmentId}', {
            params: { path: { id: threadId, messageId: id, attachmentId } },
          });
    return url !== null && /^https?:/.test(url) ? url : undefined;
  };

/** Returns how a browser shows a file: pictures that run no script, sound, and video. */
const kindOf = ({ contentType, status }: Attachment) =>
  status === 'stored'
    ? (/^(?:(image)\/(?:png|jpeg|gif|webp|avif)|(audio|video)\/)/i
        .exec(contentType)
        ?.slice(1)
        .find(Boolean)
        ?.toLowerCase() as 'image' | 'audio' | 'video' | undefined)
    : undefined;

/** The files of a message. Pictures, sound, and video are shown in place. */
export function Attachments(props: AttachmentsProps) {
  if (props.of.length === 0) return null;
  const getLink = linksOf(props);
  return (
    <ul class="files">
      {props.of.map((one) => {
        const kind = kindOf(one);
        return (
          <li key={one.id}>
            {kind === 'image' && <Picture of={one} getLink={getLink} />}
            {(kind === 'audio' || kind === 'video') && <Played of={one} getLink={getLink} kind={kind} />}
            <Download of={one} getLink={getLink} />
          </li>
        );
      })}
    </ul>
  );
}

interface FileProps {
  of: Attachment;
  getLink: GetLink;
}

function Download({ of: { id, fileName, sizeBytes, status }, getLink }: FileProps) {
  const download = () =>
    attempt(async () => {
      const url = await getLink(id);
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

/** A link that is older may have ended. */
const freshMs = 4 * 60_000;

/** Asks for the link of a file once its place is seen, and again when an old one no longer works. */
function useLink({ of: { id }, getLink }: FileProps) {
  const place = useRef<HTMLDivElement>(null);
  const [link, setLink] = useState<{ url: string; atMs: number; from: number }>();
  const [isBroken, setBroken] = useState(false);
  const ask = (from: number) =>
    getLink(id).then(
      (url) => (url === undefined ? setBroken(true) : setLink({ url, atMs: Date.now(), from })),
      () => setBroken(true),
    );
  useEffect(() => {
    const watch = new IntersectionObserver(([entry]) => {
      if (!entry?.isIntersecting) return;
      watch.disconnect();
      void ask(0);
    });
    if (place.current) watch.observe(place.current);
    return () => watch.disconnect();
  }, []);
  /** Goes on where it ended, in seconds. A new link that fails is of a file that the browser cannot show. */
  const renew = (from = 0) => {
    if (link && Date.now() - link.atMs > freshMs) void ask(from);
    else setBroken(true);
  };
  return { place, link, isBroken, renew };
}

/** A picture; a click shows it as large as the window. Where it cannot be shown, the button to download is left. */
function Picture(props: FileProps) {
  const { fileName } = props.of;
  const { place, link, isBroken, renew } = useLink(props);
  const [isLarge, setLarge] = useState(false);
  if (isBroken) return null;
  const image = link && <img src={link.url} alt={fileName} referrerpolicy="no-referrer" onError={() => renew()} />;
  return (
    <div ref={place}>
      <button type="button" class="picture" aria-label={t.inbox.enlarge(fileName)} onClick={() => setLarge(true)}>
        {image}
      </button>
      {isLarge && (
        <Dialog title={fileName} isWide onClose={() => setLarge(false)}>
          <div class="enlarged">{image}</div>
        </Dialog>
      )}
    </div>
  );
}

/** Sound or video with the browser's own controls. */
function Played({ kind: Player, ...props }: FileProps & { kind: 'audio' | 'video' }) {
  const { place, link, isBroken, renew } = useLink(props);
  if (isBroken) return null;
  const { url, from = 0 } = link ?? {};
  return (
    <div ref={place}>
      <Player
        class="played"
        src={url && (from > 0 ? `${url}#t=${from}` : url)}
        controls
        preload="metadata"
        autoplay={from > 0}
        aria-label={props.of.fileName}
        onError={({ currentTarget }) => renew(currentTarget.currentTime)}
      />
    </div>
  );
}
