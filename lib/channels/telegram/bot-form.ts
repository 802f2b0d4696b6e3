import type { Button, StoredJob } from '#lib/entities/job.ts';
import type { StoredAttachment } from '#lib/entities/message.ts';
import { readFile } from '#lib/files/bucket.ts';
import { type Form, multipart } from '#lib/network/form.ts';
import type { Album } from './albums.ts';
import { entityForBot } from './html.ts';

/** Parameters that go with files, as the Bot API names them. */
export interface Beside {
  caption: string;
  [name: string]: string | object;
}

/** A call of the Bot API with files. */
export interface FileCall {
  method: 'sendPhoto' | 'sendDocument' | 'sendMediaGroup';
  form(chatId: number, beside: Beside): Form;
}

/** The call that sends an album, or one file. */
export const callOf = ({ kind, files }: Album): FileCall => {
  const [first, ...others] = files;
  return first && others.length === 0 ? single(kind, first) : group(kind, files);
};

const single = (kind: Album['kind'], file: StoredAttachment): FileCall => ({
  method: kind === 'photo' ? 'sendPhoto' : 'sendDocument',
  form: (chatId, beside) => multipart({ chat_id: String(chatId), ...fieldsOf(beside) }, [fileOf(file, kind)]),
});

const group = (type: Album['kind'], files: Album['files']): FileCall => ({
  method: 'sendMediaGroup',
  form(chatId, { caption, caption_entities, ...beside }) {
    const media = files.map((_, index) => ({
      type,
      media: `attach://file${index}`,
      ...(index === 0 && caption !== '' && { caption, ...(caption_entities && { caption_entities }) }),
    }));
    return multipart(
      { chat_id: String(chatId), media: JSON.stringify(media), ...fieldsOf({ caption: '', ...beside }) },
      files.map((file, index) => fileOf(file, `file${index}`)),
    );
  },
});

const fieldsOf = (beside: Beside): Record<string, string> =>
  Object.fromEntries(
    Object.entries(beside).flatMap(([name, value]) =>
      value === '' ? [] : [[name, typeof value === 'string' ? value : JSON.stringify(value)]],
    ),
  );

const fileOf = ({ fileName, contentType, sizeBytes, key }: StoredAttachment, field: string) => ({
  ...{ field, fileName, contentType, sizeBytes },
  open: () => readFile(key as string),
});

/** Returns the parameters of the Bot API for a job, except its text, with the entities under the given name. */
export const parametersOf = (
  { entities = [], buttons = [], repliesTo }: Pick<StoredJob, 'entities' | 'buttons' | 'repliesTo'>,
  entitiesName: 'entities' | 'caption_entities',
): Record<string, object> => ({
  ...(entities.length > 0 && { [entitiesName]: entities.map(entityForBot) }),
  ...(repliesTo !== undefined && {
    reply_parameters: { message_id: Number(repliesTo), allow_sending_without_reply: true },
  }),
  ...(buttons.length > 0 && { reply_markup: { inline_keyboard: buttons.map((row) => row.map(forBot)) } }),
});

const forBot = ({ text, url, data }: Button) => ({ text, ...(url === undefined ? { callback_data: data } : { url }) });
