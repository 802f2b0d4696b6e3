import type { tl } from '@mtcute/core';

/** Names and types of files for which Telegram gives none, by kind. An animation also comes as a document. */
export const unnamedMedia = {
  live_photo: { fileName: 'video.mp4', contentType: 'video/mp4' },
  photo: { fileName: 'photo.jpg', contentType: 'image/jpeg' },
  video: { fileName: 'video.mp4', contentType: 'video/mp4' },
  animation: { fileName: 'animation.mp4', contentType: 'video/mp4' },
  audio: { fileName: 'audio.mp3', contentType: 'audio/mpeg' },
  voice: { fileName: 'voice.ogg', contentType: 'audio/ogg' },
  video_note: { fileName: 'video.mp4', contentType: 'video/mp4' },
  document: { fileName: 'document', contentType: 'application/octet-stream' },
};

/** A file of a message as MTProto tells of it. */
export interface MediaFile {
  kind: 'photo' | 'document';
  /** The same in every message that carries it. */
  id: string;
  fileName: string;
  contentType: string;
  sizeBytes: number;
  /** The data centre where it lies. */
  dcId: number;
  location: tl.RawInputPhotoFileLocation | tl.RawInputDocumentFileLocation;
}

/** The file of a message; undefined where there is none, as in a sticker, whose words are its emoji. */
export function fileIn(media: tl.TypeMessageMedia | undefined): MediaFile | undefined {
  if (media?._ === 'messageMediaPhoto' && media.photo?._ === 'photo') return ofPhoto(media.photo);
  if (media?._ === 'messageMediaDocument' && media.document?._ === 'document') return ofDocument(media.document);
  return undefined;
}

function ofPhoto({ id, accessHash, fileReference, dcId, sizes }: tl.RawPhoto): MediaFile | undefined {
  const largest = sizes
    .flatMap(sizeOf)
    .toSorted((a, b) => a.pixels - b.pixels)
    .at(-1);
  if (!largest) return undefined;
  return {
    kind: 'photo',
    id: id.toString(),
    ...unnamedMedia.photo,
    sizeBytes: largest.sizeBytes,
    dcId,
    location: { _: 'inputPhotoFileLocation', id, accessHash, fileReference, thumbSize: largest.type },
  };
}

/** Returns a size of a picture, if it can be downloaded. */
function sizeOf(size: tl.TypePhotoSize) {
  switch (size._) {
    case 'photoSize':
      return [{ type: size.type, pixels: size.w * size.h, sizeBytes: size.size }];
    case 'photoSizeProgressive':
      return [{ type: size.type, pixels: size.w * size.h, sizeBytes: Math.max(...size.sizes) }];
    case 'photoCachedSize':
      return [{ type: size.type, pixels: size.w * size.h, sizeBytes: size.bytes.length }];
    default:
      return [];
  }
}

function ofDocument(document: tl.RawDocument): MediaFile | undefined {
  const { id, accessHash, fileReference, dcId, attributes, mimeType, size } = document;
  if (attributes.some(({ _ }) => _ === 'documentAttributeSticker')) return undefined;
  const { fileName, contentType } = unnamedMedia[kindOf(attributes)];
  const named = attributes.find((one) => one._ === 'documentAttributeFilename');
  return {
    kind: 'document',
    id: id.toString(),
    fileName: named?.fileName ?? fileName,
    contentType: mimeType || contentType,
    sizeBytes: size,
    dcId,
    location: { _: 'inputDocumentFileLocation', id, accessHash, fileReference, thumbSize: '' },
  };
}

/** Returns the kind of a document as the Bot API names it. */
function kindOf(attributes: readonly tl.TypeDocumentAttribute[]): keyof typeof unnamedMedia {
  const video = attributes.find((one) => one._ === 'documentAttributeVideo');
  const audio = attributes.find((one) => one._ === 'documentAttributeAudio');
  if (attributes.some(({ _ }) => _ === 'documentAttributeAnimated')) return 'animation';
  if (video) return video.roundMessage ? 'video_note' : 'video';
  if (audio) return audio.voice ? 'voice' : 'audio';
  return 'document';
}

/** Returns the reference of a file of a person's account. The message has the location of the file as long as it exists. */
export const userFileRef = ({ messageId, fileId }: { messageId: number; fileId: string }) => `${messageId}/${fileId}`;

export function readUserFileRef(ref: string): { messageId: number; fileId: string } {
  const [messageId, fileId = ''] = ref.split('/');
  return { messageId: Number(messageId), fileId };
}
