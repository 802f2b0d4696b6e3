import { isMissing } from '#lib/aws/aws.ts';
import { fromNow, now, secondMs } from '#lib/core/clock.ts';
import type { StoredJob } from '#lib/entities/job.ts';
import type { StoredAttachment } from '#lib/entities/message.ts';
import type { Confirm, Outcome } from '#lib/messages/jobs/sender.ts';

const maxPhotoBytes = 10 * 1024 * 1024;

/** Files that leave together: all are pictures, or all are documents. */
export interface Album {
  kind: 'photo' | 'document';
  files: readonly StoredAttachment[];
}

const kindOf = ({ contentType, sizeBytes }: StoredAttachment): Album['kind'] =>
  /^image\/(jpeg|png)$/i.test(contentType) && sizeBytes <= maxPhotoBytes ? 'photo' : 'document';

/** Whether Telegram refuses a picture because of what it is: its sides, its form, its bytes. */
export const isNoPhoto = (status: number, error: string): boolean =>
  (status === 400 || status === 413) &&
  /PHOTO_|IMAGE_PROCESS|\b(image|photo)\b|group send failed|Too Large/i.test(error);

/** These files in their order (contract section 23): one album where Telegram allows it; else each by itself. */
function albumsOf(attachments: readonly StoredAttachment[]): Album[] {
  const kinds = new Set(attachments.map(kindOf));
  const [kind] = kinds;
  return kind !== undefined && kinds.size === 1
    ? [{ kind, files: attachments }]
    : attachments.map((file) => ({ kind: kindOf(file), files: [file] }));
}

/** Together they take no longer than an invocation has left for its last attempt. */
const budgetMs = 24 * secondMs;
/** With less than that left the next file waits for another attempt. */
const leastMs = 12 * secondMs;

/** Returns the milliseconds until the deadline of an attempt, or undefined if they are too few to begin anything. */
export function leftUntil(deadlineMs: number): number | undefined {
  const leftMs = deadlineMs - now();
  return leftMs < leastMs ? undefined : leftMs;
}

/** Another attempt goes on, at once. */
export const goesOn = (): Outcome => ({ kind: 'not-yet', until: fromNow(secondMs) });

/**
 * Sends what is not confirmed yet, album by album; the text goes with the first file. The message is known by what Telegram calls the
 * one with its text.
 */
export async function sendAlbums(
  { text, confirmedFiles, atPlatform }: StoredJob,
  attachments: readonly StoredAttachment[],
  confirm: Confirm,
  send: (album: Album, caption: string, deadlineMs: number, isFirst: boolean) => Promise<Outcome>,
): Promise<Outcome> {
  const gone = attachments.find(({ key }) => key === null);
  if (gone) return { kind: 'failed', error: `the bytes of attachment ${gone.id} are gone` };
  const deadlineMs = now() + budgetMs;
  let known = atPlatform;
  let at = 0;
  for (const album of albumsOf(attachments)) {
    const isFirst = at === 0;
    const caption = isFirst ? (text ?? '') : '';
    at += album.files.length;
    if (at <= confirmedFiles) continue;
    if (leftUntil(deadlineMs) === undefined) return goesOn();
    const outcome = await send(album, caption, deadlineMs, isFirst);
    if (outcome.kind !== 'sent') return outcome;
    known ??= outcome.atPlatform;
    await confirm(at, known);
  }
  return { kind: 'sent', ...(known && { atPlatform: known }) };
}

/** A file could not be read, so that nothing of it has left. */
export const unreadable = (error: Error): Outcome =>
  isMissing(error)
    ? { kind: 'failed', error: 'the bytes of an attachment are gone' }
    : { kind: 'failed-for-now', error: `an attachment could not be read (${error.name})` };
