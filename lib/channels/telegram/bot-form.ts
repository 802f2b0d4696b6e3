import type { StoredAttachment } from '#lib/entities/message.ts';
import { readFile } from '#lib/files/bucket.ts';
import { type Form, multipart } from '#lib/network/form.ts';

const maxPhotoBytes = 10 * 1024 * 1024;

/** One call of the Bot API with so many of a message's files. */
export interface FileCall {
  method: 'sendPhoto' | 'sendDocument' | 'sendMediaGroup';
  count: number;
  form(chatId: number, caption: string): Form;
}

const kindOf = ({ contentType, sizeBytes }: StoredAttachment) =>
  /^image\/(jpeg|png)$/i.test(contentType) && sizeBytes <= maxPhotoBytes ? 'photo' : 'document';

/**
 * The calls that send these files in their order (contract section 23): one album where Telegram allows it, that is where all are
 * pictures or all are documents; else one call for each.
 */
export function fileCalls(attachments: readonly StoredAttachment[]): FileCall[] {
  const kinds = new Set(attachments.map(kindOf));
  return attachments.length > 1 && kinds.size === 1 ? [album(attachments)] : attachments.map(single);
}

const single = (attachment: StoredAttachment): FileCall => {
  const kind = kindOf(attachment);
  return {
    method: kind === 'photo' ? 'sendPhoto' : 'sendDocument',
    count: 1,
    form: (chatId, caption) =>
      multipart({ chat_id: String(chatId), ...(caption !== '' && { caption }) }, [fileOf(attachment, kind)]),
  };
};

const album = (attachments: readonly StoredAttachment[]): FileCall => ({
  method: 'sendMediaGroup',
  count: attachments.length,
  form(chatId, caption) {
    const media = attachments.map((attachment, index) => ({
      type: kindOf(attachment),
      media: `attach://file${index}`,
      ...(index === 0 && caption !== '' && { caption }),
    }));
    return multipart(
      { chat_id: String(chatId), media: JSON.stringify(media) },
      attachments.map((attachment, index) => fileOf(attachment, `file${index}`)),
    );
  },
});

const fileOf = ({ fileName, contentType, sizeBytes, key }: StoredAttachment, field: string) => ({
  ...{ field, fileName, contentType, sizeBytes },
  open: () => readFile(key as string),
});
