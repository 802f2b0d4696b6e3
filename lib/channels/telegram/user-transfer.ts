import { Readable } from 'node:stream';
import type { ITelegramClient, tl } from '@mtcute/core';
import { uploadFile } from '@mtcute/core/methods.js';
import type Long from 'long';
import { now, secondMs, sleep } from '#lib/core/clock.ts';
import { partTimeoutMs } from '#lib/core/timeouts.ts';
import type { Addressee, Connection } from './connection.ts';
import { fileIn, type MediaFile } from './media.ts';
import { RefusedCall } from './refused-call.ts';
import type { Rich } from './user-rich.ts';

/** A file of ours that lies at Telegram, to be sent to somebody. */
export interface UploadedFile {
  id: Long;
  accessHash: Long;
  fileReference: Uint8Array;
}

/** A file that is about to be uploaded. */
interface Upload {
  kind: MediaFile['kind'];
  fileName: string;
  contentType: string;
  sizeBytes: number;
  bytes: Readable;
}

/** How files go over the connection of a person's account. Each call raises RefusedCall. */
export interface UserTransfer {
  /** The file that a message has now. */
  fileOf(messageId: number): Promise<MediaFile | undefined>;
  /** The bytes of a file; `lookUp` says where it lies when what was known of it ends. Throws for what may pass, and at the deadline. */
  download(
    file: MediaFile,
    lookUp: () => Promise<MediaFile | undefined>,
    deadlineMs: number,
  ): AsyncGenerator<Uint8Array>;
  /** Nobody sees it yet. */
  upload(peer: Addressee, file: Upload, timeoutMs: number): Promise<UploadedFile>;
  /** Sends one file, or several as an album; each has a random id. Returns what Telegram calls the first message, where it says so. */
  sendFiles(
    peer: Addressee,
    kind: MediaFile['kind'],
    files: readonly (UploadedFile & { randomId: Long })[],
    text: Rich,
  ): Promise<number | undefined>;
}

/** The most that Telegram gives at once (https://core.telegram.org/api/files#downloading-files). */
const partBytes = 1024 * 1024;
/** How often one part is asked for again. */
const maxCorrections = 5;
const maxFloodSeconds = 30;

export const transferOver = (connection: Connection): UserTransfer => ({
  fileOf: (messageId) => fileOf(connection, messageId),
  async *download({ id, sizeBytes, ...place }, lookUp, deadlineMs) {
    let [offset, corrections] = [0, 0];
    while (offset < sizeBytes) {
      if (now() > deadlineMs) throw new Error('fetching a file takes too long');
      const { location, dcId } = place;
      const part = await connection
        .call({ _: 'upload.getFile', location, offset, limit: partBytes }, { dcId, timeoutMs: partTimeoutMs })
        .catch(async (error: unknown) => {
          corrections += 1;
          if (!(error instanceof RefusedCall) || corrections > maxCorrections) throw error;
          await correct(place, error, lookUp, deadlineMs);
          return undefined;
        });
      if (part === undefined) continue;
      if (part._ !== 'upload.file') throw new Error('Telegram has a file elsewhere than in its data centres');
      if (part.bytes.length === 0) break;
      yield part.bytes;
      offset += part.bytes.length;
      corrections = 0;
    }
    if (offset !== sizeBytes) throw new Error(`Telegram gave ${offset} bytes of a file of ${sizeBytes}`);
  },

  async upload(peer, { kind, fileName, contentType, sizeBytes, bytes }, timeoutMs) {
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const { inputFile: file } = await uploadFile(uploader(connection, signal), {
        file: Readable.toWeb(bytes) as ReadableStream<Uint8Array>,
        ...{ fileName, fileSize: sizeBytes, fileMime: contentType, abortSignal: signal },
      });
      const media = await connection.call(
        {
          _: 'messages.uploadMedia',
          peer: { _: 'inputPeerUser', ...peer },
          media:
            kind === 'photo'
              ? { _: 'inputMediaUploadedPhoto', file }
              : {
                  _: 'inputMediaUploadedDocument',
                  ...{ file, mimeType: contentType, forceFile: true },
                  attributes: [{ _: 'documentAttributeFilename', fileName }],
                },
        },
        { timeoutMs: partTimeoutMs, signal },
      );
      const uploaded = fileIn(media)?.location;
      if (!uploaded) throw new Error('Telegram does not say what it calls a file');
      return uploaded;
    } finally {
      bytes.destroy();
    }
  },

  async sendFiles(to, kind, files, { caption, entities, replyTo }) {
    const peer = { _: 'inputPeerUser', ...to } as const;
    const [first, ...others] = files.map((file) => ({ media: inputMedia(kind, file), randomId: file.randomId }));
    if (!first) return undefined;
    const sent = await connection.call(
      others.length === 0
        ? {
            _: 'messages.sendMedia',
            peer,
            message: caption,
            ...(entities && { entities }),
            ...(replyTo && { replyTo }),
            ...first,
          }
        : {
            _: 'messages.sendMultiMedia',
            peer,
            ...(replyTo && { replyTo }),
            multiMedia: [first, ...others].map((one, index) => ({
              _: 'inputSingleMedia',
              message: index === 0 ? caption : '',
              ...(index === 0 && entities && { entities }),
              ...one,
            })),
          },
    );
    if (sent._ !== 'updates') return undefined;
    return sent.updates.flatMap((update) =>
      update._ === 'updateMessageID' && update.randomId.eq(first.randomId) ? [update.id] : [],
    )[0];
  },
});

async function fileOf(connection: Connection, id: number): Promise<MediaFile | undefined> {
  const found = await connection.call({ _: 'messages.getMessages', id: [{ _: 'inputMessageID', id }] });
  const message = 'messages' in found ? found.messages.find((one) => one._ === 'message' && one.id === id) : undefined;
  return message?._ === 'message' ? fileIn(message.media) : undefined;
}

/** Returns the correction that Telegram asks for: another data center, a new reference, or a wait. Throws any other error. */
async function correct(
  place: Pick<MediaFile, 'location' | 'dcId'>,
  error: RefusedCall,
  lookUp: () => Promise<MediaFile | undefined>,
  deadlineMs: number,
): Promise<void> {
  const { code, message } = error;
  const number = Number(/_(\d+)$/.exec(message)?.[1]);
  if (message.startsWith('FILE_MIGRATE_')) place.dcId = number;
  else if (/^FILE_REFERENCE_/.test(message)) {
    const file = await lookUp();
    if (!file) throw error;
    Object.assign(place, { location: file.location, dcId: file.dcId });
  } else if (code === 420 && number <= maxFloodSeconds && now() + number * secondMs < deadlineMs)
    await sleep(number * secondMs);
  else throw error;
}

const inputMedia = (kind: MediaFile['kind'], { id, accessHash, fileReference }: UploadedFile): tl.TypeInputMedia =>
  kind === 'photo'
    ? { _: 'inputMediaPhoto', id: { _: 'inputPhoto', id, accessHash, fileReference } }
    : { _: 'inputMediaDocument', id: { _: 'inputDocument', id, accessHash, fileReference } };

/** Returns the parts of a client that mtcute's upload needs. Several parts at a time share one connection. */
const uploader = ({ client, call }: Connection, signal: AbortSignal) =>
  ({
    call: (request: tl.RpcMethod) => call(request, { timeoutMs: partTimeoutMs, signal }),
    getPoolSize: async () => 1,
    log: client.log,
    platform: {},
    storage: { self: { getCached: () => null } },
  }) as unknown as ITelegramClient;
