import * as v from 'valibot';
import { dayMs, epochSeconds } from '#lib/core/clock.ts';
import { choice, count, id, integer, line, pattern, time } from '#lib/core/schema.ts';
import { entity } from '#lib/table/entity.ts';
import { Attachment } from './message.ts';

/** A media type, perhaps with parameters. */
const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(;[ -~]*)?$/;

const mebibyte = 1024 * 1024;
/** Limits of files by their use, in bytes. */
export const maxFileBytes = { message: 50 * mebibyte, import: 200 * mebibyte } as const;
const purposes = ['message', 'import'] as const;

export const CreateFile = v.pipe(
  v.object({
    purpose: v.optional(choice(purposes), 'message'),
    fileName: line(255),
    contentType: v.pipe(pattern(mediaType, 255, 'a media type such as image/png'), v.examples(['image/png'])),
    sizeBytes: integer(1, maxFileBytes.import),
  }),
  v.title('CreateFile'),
);

/** Where and how its bytes are put. */
export const FileUpload = v.pipe(
  v.object({
    id: id(),
    uploadUrl: v.string(),
    uploadHeaders: v.record(v.string(), v.string()),
    expiresAt: time(),
  }),
  v.title('FileUpload'),
);

/** Where its bytes are for five minutes; null unless they are stored. */
export const AttachmentFile = v.pipe(
  v.object({ ...Attachment.entries, url: v.nullable(v.string()), expiresAt: v.nullable(time()) }),
  v.title('AttachmentFile'),
);

/** A file that a caller uploads, until a message takes it or its day is over. */
export const Files = entity({
  name: 'file',
  schema: v.object({
    id: id(),
    /** Absent of a file for a message. */
    purpose: v.exactOptional(v.literal('import')),
    fileName: v.string(),
    contentType: v.string(),
    sizeBytes: count(),
    /** In the bucket. */
    key: v.string(),
    isTaken: v.boolean(),
    createdAt: time(),
  }),
  expiresAtSeconds: ({ createdAt }) => epochSeconds(new Date(Date.parse(createdAt) + dayMs)),
});

export type StoredFile = v.InferOutput<(typeof Files)['schema']>;
