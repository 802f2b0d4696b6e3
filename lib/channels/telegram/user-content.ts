import type { tl } from '@mtcute/core';
import type { TextEntity } from '#lib/entities/message.ts';
import { type Content, contentOf, mention } from './content.ts';
import type { MediaFile } from './media.ts';

/** Returns the kind of a media and its fields, as in the Bot API. */
function asBot(media: tl.TypeMessageMedia, { date, editDate = date }: tl.RawMessage): [kind: string, part: unknown] {
  switch (media._) {
    case 'messageMediaGeo':
      return ['location', placeOf(media.geo)];
    case 'messageMediaGeoLive': {
      const { geo, period } = media;
      return ['location', { ...placeOf(geo), ...(date + period > editDate && { live_period: period }) }];
    }
    case 'messageMediaVenue':
      return ['venue', { title: media.title, address: media.address, location: placeOf(media.geo) }];
    case 'messageMediaContact': {
      const { phoneNumber: phone_number, firstName: first_name, lastName: last_name, vcard, userId: user_id } = media;
      return ['contact', { phone_number, first_name, last_name, vcard, user_id: Number(user_id) }];
    }
    case 'messageMediaPoll': {
      const { question, answers } = media.poll;
      const options = answers.flatMap((one) => ('text' in one ? [{ text: one.text.text }] : []));
      return ['poll', { question: question.text, options }];
    }
    case 'messageMediaToDo': {
      const { title, list } = media.todo;
      return ['checklist', { title: title.text, tasks: list.map(({ id, title: text }) => ({ id, text: text.text })) }];
    }
    case 'messageMediaInvoice': {
      const { title, description, currency, totalAmount } = media;
      return ['invoice', { title, description, currency, total_amount: Number(totalAmount) }];
    }
    case 'messageMediaGame':
      return ['game', { title: media.game.title, description: media.game.description }];
    case 'messageMediaDice':
      return ['dice', { emoji: media.emoticon, value: media.value }];
    default:
      return [kindOf(media._), null];
  }
}

const kindOf = (name: string) => snakeCase(name.replace('messageMedia', ''));
const snakeCase = (name: string) => name.replace(/(?!^)[A-Z]/g, '_$&').toLowerCase();

const placeOf = (geo: tl.TypeGeoPoint) =>
  geo._ === 'geoPoint' ? { latitude: geo.lat, longitude: geo.long } : { latitude: undefined, longitude: undefined };

/** The content of a person's message, in the words of a bot's. */
export function contentOfUser(message: tl.RawMessage, file: MediaFile | undefined): Content {
  const content = bare(message, file);
  const { replyMarkup: markup } = message;
  if (markup?._ !== 'replyInlineMarkup') return content;
  const buttons = markup.rows.map((row) =>
    row.buttons.map((one) => ({ text: one.text, ...('url' in one && { url: one.url }) })),
  );
  return { ...content, data: { ...content.data, reply_markup: { inline_keyboard: buttons } } };
}

function bare(message: tl.RawMessage, file: MediaFile | undefined): Content {
  const { message: text, media } = message;
  const isPlain = media === undefined || media._ === 'messageMediaEmpty' || media._ === 'messageMediaWebPage' || file;
  if (isPlain) return { body: text, data: null };
  if (media._ === 'messageMediaDocument') {
    const attributes = media.document?._ === 'document' ? media.document.attributes : [];
    const sticker = attributes.find((one) => one._ === 'documentAttributeSticker');
    // There is no file of what was to be seen once, or not at all.
    return { body: text || (sticker ? sticker.alt || '[sticker]' : '[document]'), data: null };
  }
  const [kind, part] = asBot(media, message);
  const { body, data } = contentOf(kind, part);
  return { body: text || body, data: part === null ? null : data };
}

/** MTProto's names of entities that differ from the Bot API's. */
const entityTypes: Record<string, string> = {
  text_url: 'text_link',
  mention_name: 'text_mention',
  phone: 'phone_number',
  strike: 'strikethrough',
};

/** The entities of a person's message, as a bot would be told of them. */
export const entitiesOfUser = ({ entities = [] }: tl.RawMessage): TextEntity[] =>
  entities.flatMap((one) => {
    if (!('offset' in one)) return [];
    const name = snakeCase(one._.replace('messageEntity', ''));
    const url = 'url' in one ? one.url : 'userId' in one ? `${mention}${String(one.userId)}` : null;
    return [{ type: entityTypes[name] ?? name, offset: one.offset, length: one.length, url }];
  });
