import { createHash, randomBytes } from 'node:crypto';
import { Long, type tl } from '@mtcute/core';
import { type Answer, refusal } from '#test/telegram/mtproto.ts';

/** A file as somebody gives it: its bytes, or so many of one letter. */
interface NewFile {
  kind?: 'photo' | 'document';
  bytes?: Buffer;
  sizeBytes?: number;
  fileName?: string;
  contentType?: string;
  attributes?: Answer[];
  /** The data centre where it lies. */
  dcId?: number;
}

interface StoredFile {
  id: Long;
  accessHash: Long;
  reference: Buffer;
  kind: 'photo' | 'document';
  sizeBytes: number;
  dcId: number;
  fileName: string | undefined;
  contentType: string;
  read(offset: number, length: number): Buffer;
}

const partBytes = 512 * 1024;
const downloadBytes = 1024 * 1024;
const maxSmallFileBytes = 10 * 1024 * 1024;

const randomLong = () => Long.fromBytesLE([...randomBytes(8)]);

/**
 * The files of Telegram's data centres, as https://core.telegram.org/api/files has them: uploaded in parts, named by a reference that
 * ends, fetched in parts from where they lie. The words of refusals are those of the methods there.
 */
export class FileStore {
  readonly #files = new Map<string, StoredFile>();
  readonly #parts = new Map<string, { bytes: Map<number, Buffer>; total?: number }>();
  /** Words by which another centre lets somebody in. */
  readonly exported = new Map<string, tl.RawUser>();
  /** After so many parts what was known of the files ends. */
  endsAfterParts = Number.POSITIVE_INFINITY;

  /** Returns the media of a message with it. */
  add({ kind = 'document', bytes, sizeBytes = bytes?.length ?? 0, dcId = 2, ...told }: NewFile): Answer {
    const { fileName, contentType = kind === 'photo' ? 'image/jpeg' : 'application/pdf', attributes = [] } = told;
    const file: StoredFile = {
      ...{ id: randomLong(), accessHash: randomLong(), reference: randomBytes(16) },
      ...{ kind, sizeBytes, dcId, fileName, contentType },
      read: (offset, length) =>
        bytes?.subarray(offset, offset + length) ??
        Buffer.alloc(Math.max(0, Math.min(length, sizeBytes - offset)), 'x'),
    };
    this.#files.set(file.id.toString(), file);
    return mediaOf(file, attributes);
  }

  /** What was known of the files ends. */
  expire() {
    for (const file of this.#files.values()) file.reference = randomBytes(16);
  }

  save(call: tl.upload.RawSaveFilePartRequest | tl.upload.RawSaveBigFilePartRequest): Answer | true {
    const { fileId, filePart, bytes } = call;
    if (bytes.length === 0) return refusal(400, 'FILE_PART_EMPTY');
    if (bytes.length > partBytes) return refusal(400, 'FILE_PART_TOO_BIG');
    const parts = this.#parts.get(fileId.toString()) ?? { bytes: new Map<number, Buffer>() };
    parts.bytes.set(filePart, Buffer.from(bytes));
    if ('fileTotalParts' in call) parts.total = call.fileTotalParts;
    this.#parts.set(fileId.toString(), parts);
    return true;
  }

  /** `messages.uploadMedia`. */
  upload(media: tl.TypeInputMedia, dcId: number): Answer {
    if (media._ !== 'inputMediaUploadedPhoto' && media._ !== 'inputMediaUploadedDocument')
      return refusal(400, 'MEDIA_INVALID');
    const { file } = media;
    const parts = 'id' in file ? this.#parts.get(file.id.toString()) : undefined;
    if (!parts || !('parts' in file)) return refusal(400, 'FILE_PARTS_INVALID');
    for (let index = 0; index < file.parts; index += 1)
      if (!parts.bytes.has(index)) return refusal(400, `FILE_PART_${index}_MISSING`);
    const bytes = Buffer.concat([...parts.bytes].sort(([a], [b]) => a - b).map(([, part]) => part));
    const isBig = file._ === 'inputFileBig';
    if (isBig !== bytes.length > maxSmallFileBytes || (isBig && parts.total !== file.parts))
      return refusal(400, 'FILE_PARTS_INVALID');
    if (media._ === 'inputMediaUploadedPhoto') return this.add({ kind: 'photo', bytes, dcId, fileName: file.name });
    const named = media.attributes.find((one) => one._ === 'documentAttributeFilename');
    return this.add({ bytes, dcId, contentType: media.mimeType, ...(named && { fileName: named.fileName }) });
  }

  /** A file that is sent, or why it is not. */
  sent(media: tl.TypeInputMedia): { file: StoredFile; media: Answer } | { refused: Answer } {
    const input = media._ === 'inputMediaPhoto' || media._ === 'inputMediaDocument' ? media.id : undefined;
    if (!input || !('fileReference' in input)) return { refused: refusal(400, 'MEDIA_EMPTY') };
    const file = this.#files.get(input.id.toString());
    if (!file?.accessHash.equals(input.accessHash)) return { refused: refusal(400, 'MEDIA_EMPTY') };
    if (!file.reference.equals(input.fileReference)) return { refused: refusal(400, 'FILE_REFERENCE_EXPIRED') };
    return { file, media: mediaOf(file) };
  }

  /** `upload.getFile` as the centre with this id answers it. */
  get({ location, offset, limit }: tl.upload.RawGetFileRequest, dcId: number): Answer {
    const isTelegrams = location._ === 'inputPhotoFileLocation' || location._ === 'inputDocumentFileLocation';
    const file = isTelegrams ? this.#files.get(location.id.toString()) : undefined;
    if (!isTelegrams || !file?.accessHash.equals(location.accessHash)) return refusal(400, 'LOCATION_INVALID');
    if (file.dcId !== dcId) return refusal(303, `FILE_MIGRATE_${file.dcId}`);
    if (!file.reference.equals(location.fileReference)) return refusal(400, 'FILE_REFERENCE_EXPIRED');
    if (limit % 4096 !== 0 || downloadBytes % limit !== 0) return refusal(400, 'LIMIT_INVALID');
    const isInOne = Math.floor(offset / downloadBytes) === Math.floor((offset + limit - 1) / downloadBytes);
    if (offset % 4096 !== 0 || !isInOne) return refusal(400, 'OFFSET_INVALID');
    this.endsAfterParts -= 1;
    if (this.endsAfterParts === 0) this.expire();
    return { _: 'upload.file', type: { _: 'storage.filePartial' }, mtime: 0, bytes: file.read(offset, limit) };
  }
}

/** What a test knows a file by. */
export const shown = ({ kind, fileName, contentType, sizeBytes, read }: StoredFile) => ({
  ...{ kind, fileName, contentType, sizeBytes },
  sha256: createHash('sha256').update(read(0, sizeBytes)).digest('hex'),
});

/** The reference is the one of the moment in which it is told. */
function mediaOf(file: StoredFile, attributes: Answer[] = []): Answer {
  const { id, accessHash, dcId, kind, sizeBytes: size, fileName, contentType: mimeType } = file;
  const told = { id, accessHash, date: 0, dcId };
  const fileReference = { enumerable: true, get: () => file.reference };
  if (kind === 'photo') {
    const sizes = [
      { _: 'photoStrippedSize', type: 'i', bytes: Buffer.alloc(3) },
      { _: 'photoSize', type: 'm', w: 320, h: 200, size: 1 },
      { _: 'photoSizeProgressive', type: 'y', w: 1280, h: 800, sizes: [Math.ceil(size / 2), size] },
    ];
    const photo = Object.defineProperty({ _: 'photo', ...told, sizes }, 'fileReference', fileReference);
    return { _: 'messageMediaPhoto', photo };
  }
  const all = [...attributes, ...(fileName === undefined ? [] : [{ _: 'documentAttributeFilename', fileName }])];
  const document = { _: 'document', ...told, mimeType, size, attributes: all };
  return {
    _: 'messageMediaDocument',
    document: Object.defineProperty(document, 'fileReference', fileReference),
  };
}
