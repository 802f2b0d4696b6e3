import Long from 'long';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { Jobs, type PlatformFile, type StoredJob } from '#lib/entities/job.ts';
import type { StoredAttachment } from '#lib/entities/message.ts';
import { readFile } from '#lib/files/bucket.ts';
import type { Outcome } from '#lib/messages/jobs/sender.ts';
import { getJob } from '#lib/messages/jobs/store.ts';
import { transact } from '#lib/table/transact.ts';
import { type Album, goesOn, isNoPhoto, leftUntil, unreadable } from './albums.ts';
import type { Addressee } from './connection.ts';
import { fileIn } from './media.ts';
import { delivered, type Hand, randomId } from './once.ts';
import { RefusedCall } from './refused-call.ts';
import type { UserConnection } from './user-connection.ts';
import type { Rich } from './user-rich.ts';
import type { UploadedFile } from './user-transfer.ts';

/** Sends an album; what Telegram does not take as photos leaves as documents. */
export async function sendAlbum(
  ...[hand, to, job, album, text, deadlineMs]: Parameters<typeof send>
): Promise<Outcome> {
  try {
    return await send(hand, to, job, album, text, deadlineMs);
  } catch (error) {
    const isRefused = error instanceof RefusedCall && isNoPhoto(error.code, error.message);
    if (!isRefused || album.kind !== 'photo') throw error;
    await forget(hand.tenant, job, album);
    return send(hand, to, { ...job, platformFiles: [] }, { ...album, kind: 'document' }, text, deadlineMs);
  }
}

/** Uploads what does not lie at Telegram yet, writing down what does, and sends it. */
async function send(
  hand: Hand,
  to: Addressee,
  job: StoredJob,
  { kind, files }: Album,
  text: Rich,
  deadlineMs: number,
): Promise<Outcome> {
  const { tenant, connection } = hand;
  const uploaded: UploadedFile[] = [];
  for (const file of files) {
    const known = job.platformFiles.find((one) => one.attachmentId === file.id && one.userId === to.userId);
    if (known) uploaded.push(readPlatformFile(known));
    else {
      const leftMs = leftUntil(deadlineMs);
      if (leftMs === undefined) return goesOn();
      const one = await upload(connection, to, kind, file, leftMs);
      if (one instanceof Error) return unreadable(one);
      await keepUploads(tenant, job, (kept) => [...kept, platformFile(to, file, one)]);
      uploaded.push(one);
    }
  }
  const [first] = uploaded;
  const sent = uploaded.map((file, index) => ({ ...file, randomId: randomId(hand, job, files[index]?.id) }));
  try {
    return await delivered(
      to,
      () => connection.sendFiles(to, kind, sent, text),
      () => connection.lastSent(to, ({ media }) => fileIn(media)?.id === first?.id.toString()),
    );
  } catch (error) {
    // The next attempt uploads them again.
    if (error instanceof RefusedCall && /^FILE_REFERENCE_/.test(error.message)) {
      await forget(tenant, job, { files });
      return { kind: 'failed-for-now', error: `Telegram answered ${error.code}: ${error.message}` };
    }
    throw error;
  }
}

/** Forgets the uploads of an album, so that they are uploaded again. */
function forget(tenant: Tenant, job: StoredJob, { files }: Pick<Album, 'files'>) {
  const ids = files.map(({ id }) => id);
  return keepUploads(tenant, job, (kept) => kept.filter(({ attachmentId }) => !ids.includes(attachmentId)));
}

/** Returns why the bytes could not be read where that is so. */
async function upload(
  connection: UserConnection,
  to: Addressee,
  kind: Album['kind'],
  { key, fileName, contentType, sizeBytes }: StoredAttachment,
  timeoutMs: number,
): Promise<UploadedFile | Error> {
  const bytes = await readFile(key as string).catch((error: Error) => error);
  if (bytes instanceof Error) return bytes;
  let broken: Error | undefined;
  bytes.once('error', (error) => {
    broken = error;
  });
  return connection
    .upload(to, { kind, fileName, contentType, sizeBytes, bytes }, timeoutMs)
    .catch((error) => broken ?? Promise.reject(error));
}

const platformFile = (
  { userId }: Addressee,
  { id: attachmentId }: StoredAttachment,
  { id, accessHash, fileReference }: UploadedFile,
): PlatformFile => ({
  ...{ attachmentId, userId, id: id.toString(), accessHash: accessHash.toString() },
  reference: Buffer.from(fileReference).toString('base64'),
});

const readPlatformFile = ({ id, accessHash, reference }: PlatformFile): UploadedFile => ({
  id: Long.fromString(id),
  accessHash: Long.fromString(accessHash),
  fileReference: Buffer.from(reference, 'base64'),
});

/** Before they leave, so that the account knows them as its own whatever becomes of this process. */
const keepUploads = (tenant: Tenant, { id }: StoredJob, change: (kept: PlatformFile[]) => PlatformFile[]) =>
  transact(tenant, system, async (tx) => {
    const job = await getJob(tx, id);
    tx.update(Jobs, { ...job, platformFiles: change(job.platformFiles) });
  });
