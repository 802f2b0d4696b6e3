import type * as v from 'valibot';
import { minuteMs, secondMs, shifted } from '#lib/core/clock.ts';
import { invalidField, notFound, unavailable } from '#lib/core/problem.ts';
import {
  type AttachmentFile,
  type CreateFile,
  Files,
  type FileUpload,
  maxFileBytes,
  type StoredFile,
} from '#lib/entities/file.ts';
import type { StoredAttachment } from '#lib/entities/message.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { isStored } from './bucket.ts';
import { ownKey, uploadKey } from './keys.ts';
import { cleanFileName } from './name.ts';
import { downloadUrlOf, uploadUrlOf } from './presigned.ts';

const uploadMs = 60 * minuteMs;
const downloadMs = 5 * minuteMs;

/** A file that the caller uploads within the hour, and a message or an import takes within the day (contract section 23). Raises 400. Needs `upload-files`. */
export async function createFile(
  tx: UnitOfWork,
  { purpose, fileName, contentType, sizeBytes }: v.InferOutput<typeof CreateFile>,
): Promise<v.InferInput<typeof FileUpload>> {
  const cleaned = cleanFileName(fileName, Number.POSITIVE_INFINITY);
  if (cleaned === '') throw invalidField('fileName', 'invalid_format', 'fileName must be the name of a file');
  const maxBytes = maxFileBytes[purpose];
  if (sizeBytes > maxBytes) throw invalidField('sizeBytes', 'out_of_range', `sizeBytes must be at most ${maxBytes}`);
  const { id, key } = tx.create(Files, {
    id: await tx.nextId(Files),
    ...(purpose === 'import' && { purpose }),
    fileName: cleaned,
    contentType,
    sizeBytes,
    key: uploadKey(tx.tenant),
    isTaken: false,
    createdAt: tx.now,
  });
  const uploadHeaders = { 'content-type': contentType, 'content-length': String(sizeBytes) };
  const expiresSeconds = uploadMs / secondMs;
  const uploadUrl = await uploadUrlOf(key, { contentType, sizeBytes, expiresSeconds });
  return { id, uploadUrl, uploadHeaders, expiresAt: shifted(tx.now, uploadMs) };
}

/**
 * Returns a file that a caller has uploaded for an import. Raises 400 on `fileId` for what is not there, is for a message, or is not
 * uploaded. Needs `read-files`.
 */
export async function importFile(tx: UnitOfWork, id: number): Promise<StoredFile> {
  const file = await tx.find(Files, { id });
  if (file?.purpose !== 'import' || ownKey(tx.tenant, file.key) === null)
    throw invalidField(
      'fileId',
      'unknown_reference',
      'fileId must refer to a file with the purpose import of the last 24 hours: POST /v1/files first',
    );
  const isThere = await isStored(file.key).catch((error: unknown) => {
    throw unavailable(1, error);
  });
  if (!isThere) throw invalidField('fileId', 'not_allowed', 'fileId has not been uploaded: PUT its bytes first');
  return file;
}

/**
 * The attachments of a message that takes these files; no other may afterwards. Raises 400 for what is not there, is not uploaded or is
 * taken. Needs `read-files`.
 */
export async function takeFiles(tx: UnitOfWork, ids: readonly number[] = []): Promise<StoredAttachment[]> {
  const files = await Promise.all(ids.map((id) => tx.find(Files, { id })));
  const taken = files.map((file, index) => {
    const refused = (code: 'unknown_reference' | 'not_allowed', why: string) =>
      invalidField(`attachments[${index}]`, code, `attachments[${index}] ${why}`);
    if (!file || file.purpose === 'import' || ownKey(tx.tenant, file.key) === null)
      throw refused('unknown_reference', 'does not refer to a file of the last 24 hours in this workspace');
    if (file.isTaken || ids.indexOf(file.id) < index) throw refused('not_allowed', 'is part of a message already');
    return { file, refused };
  });
  const areStored = await Promise.all(taken.map(({ file }) => isStored(file.key))).catch((error: unknown) => {
    throw unavailable(1, error);
  });
  return taken.map(({ file, refused }, index) => {
    if (!areStored[index]) throw refused('not_allowed', 'has not been uploaded');
    const { fileName, contentType, sizeBytes, key } = file;
    // The message's from here on: an erasure finds it there.
    tx.update(Files, { ...file, fileName: '', isTaken: true });
    return { id: index + 1, fileName, contentType, sizeBytes, status: 'stored', key };
  });
}

/** One of a message's attachments, with the URL of its bytes. Raises 404. Needs `read-files`. */
export async function attachmentFile(
  tx: UnitOfWork,
  attachments: readonly StoredAttachment[],
  id: number | undefined,
): Promise<v.InferInput<typeof AttachmentFile>> {
  const { key: stored = null, uploadedAs: _, ...attachment } = attachments.find((one) => one.id === id) ?? {};
  if (!('status' in attachment)) throw notFound('attachment');
  const key = ownKey(tx.tenant, stored);
  if (attachment.status !== 'stored' || key === null) return { ...attachment, url: null, expiresAt: null };
  return { ...attachment, ...(await download(tx, key, attachment)) };
}

/** Where the bytes of a file are for five minutes, always as a download. */
export async function download(
  { now }: Pick<UnitOfWork, 'now'>,
  key: string,
  { fileName, contentType }: Pick<StoredAttachment, 'fileName' | 'contentType'>,
): Promise<{ url: string; expiresAt: string }> {
  const url = await downloadUrlOf(key, {
    disposition: dispositionOf(fileName),
    contentType: servedType(contentType),
    expiresSeconds: downloadMs / secondMs,
  });
  return { url, expiresAt: shifted(now, downloadMs) };
}

/** RFC 6266: the name in ASCII for whoever knows no other, and as it is. */
function dispositionOf(fileName: string): string {
  const plain = fileName.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(fileName.toWellFormed()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** Returns the type with which a file is served: types that a browser might run become plain bytes. */
function servedType(contentType: string): string {
  const isShown =
    /^[\w.+-]+\/[\w.+-]+$/.test(contentType) && !/html|xml|svg|script|xsl|multipart|mht/i.test(contentType);
  return isShown ? contentType.toLowerCase() : 'application/octet-stream';
}
