import { Long, type tl } from '@mtcute/core';
import type { StoredJob } from '#lib/entities/job.ts';
import type { TextEntity } from '#lib/entities/message.ts';
import { emojiIdOf } from './html.ts';

/** The text of a message, what it is besides its words, and what it answers. */
export interface Rich {
  caption: string;
  entities?: tl.TypeMessageEntity[];
  replyTo?: tl.RawInputReplyToMessage;
}

/** Returns the parameters of MTProto for a job, except its text. */
export const richOf = ({ entities = [], repliesTo }: StoredJob): Omit<Rich, 'caption'> => ({
  ...(entities.length > 0 && { entities: entities.map(asEntity) }),
  ...(repliesTo !== undefined && { replyTo: { _: 'inputReplyToMessage', replyToMsgId: Number(repliesTo) } }),
});

const simple = {
  bold: 'messageEntityBold',
  italic: 'messageEntityItalic',
  underline: 'messageEntityUnderline',
  strikethrough: 'messageEntityStrike',
  spoiler: 'messageEntitySpoiler',
  code: 'messageEntityCode',
  blockquote: 'messageEntityBlockquote',
} as const;

function asEntity(entity: TextEntity): tl.TypeMessageEntity {
  const { type, offset, length, url } = entity;
  const place = { offset, length };
  if (type === 'custom_emoji')
    return { _: 'messageEntityCustomEmoji', ...place, documentId: Long.fromString(emojiIdOf(entity)) };
  if (type === 'pre') return { _: 'messageEntityPre', ...place, language: '' };
  if (url !== null) return { _: 'messageEntityTextUrl', ...place, url };
  return { _: simple[type as keyof typeof simple] ?? 'messageEntityUnknown', ...place };
}
