import type { StoredAttachment } from '#lib/entities/message.ts';
import { readFile } from '#lib/files/bucket.ts';
import { type Form, multipart } from '#lib/network/form.ts';
import type { Album } from './albums.ts';

/** A call of the Bot API with files. */
export interface FileCall {
  method: 'sendPhoto' | 'sendDocument' | 'sendMediaGroup';
  form(chatId: number, caption: string): Form;
}

/** The call that sends an album, or one file. */
export const callOf = ({ kind, files }: Album): FileCall => {
  const [first, ...others] = files;
  return first && others.length === 0 ? single(kind, first) : group(kind, files);
};

const single = (kind: Album['kind'], file: StoredAttachment): FileCall => ({
  method: kind === 'photo' ? 'sendPhoto' : 'sendDocument',
  form: (chatId, caption) =>
    multipart({ chat_id: String(chatId), ...(caption !== '' && { caption }) }, [fileOf(file, kind)]),
});

const group = (type: Album['kind'], files: Album['files']): FileCall => ({
  method: 'sendMediaGroup',
  form(chatId, caption) {
    const media = files.map((_, index) => ({
      type,
      media: `attach://file${index}`,
      ...(index === 0 && caption !== '' && { caption }),
    }));
    return multipart(
      { chat_id: String(chatId), media: JSON.stringify(media) },
      files.map((file, index) => fileOf(file, `file${index}`)),
    );
  },
});

const fileOf = ({ fileName, contentType, sizeBytes, key }: StoredAttachment, field: string) => ({
  ...{ field, fileName, contentType, sizeBytes },
  open: () => readFile(key as string),
});
