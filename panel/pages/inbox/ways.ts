import type { Schema } from '../../../client/index.ts';
import { messaging } from '../../api/lists.ts';
import { maySee } from '../../app/accounts.ts';
import { api } from '../../app/api.ts';
import { type Channel, channelNames, type Platform } from '../../app/channels.ts';
import type { DraftButton } from '../../app/drafts.ts';
import { may } from '../../app/session.ts';
import { t } from '../../app/texts.ts';

type Contact = Schema<'ContactWithTags'>;

/** How a message can reach somebody. */
export interface Way {
  /** Tells them apart. */
  key: string;
  title: string;
  channel: Channel;
  accountId?: number;
  /** The thread of mails that it answers. */
  threadId?: number;
  asksSubject?: boolean;
  maxLength: number;
  /** What it takes of files; undefined for none. */
  files?: FileLimits | undefined;
}

interface FileLimits {
  /** Of one file. */
  maxBytes: number;
  /** Of all together. */
  maxTotalBytes: number;
  /** Of the text that goes with them. */
  maxLength: number;
  needsText: boolean;
}

/** As many files a message takes. */
export const maxFiles = 10;

const mebibyte = 1024 * 1024;
const maxMailCharacters = 100_000;
const mail = {
  channel: 'email',
  maxLength: maxMailCharacters,
  files: { maxBytes: 25 * mebibyte, maxTotalBytes: 25 * mebibyte, maxLength: maxMailCharacters, needsText: true },
} as const;

/** Of Telegram's bots. */
const botFiles = {
  maxBytes: 50 * mebibyte,
  maxTotalBytes: maxFiles * 50 * mebibyte,
  maxLength: 1024,
  needsText: false,
};

/** The answer to whom wrote last in a thread. */
export const answerIn = (threadId: number): Way => ({
  ...mail,
  key: `reply ${threadId}`,
  title: t.inbox.eMailAnswerTheLast,
  threadId,
});

/** The one that the contact has used last comes first. `chosen` stays among them: a newer mail does not take its place. */
export async function waysTo(
  contact: Contact,
  messages: readonly Schema<'Message'>[],
  chosen: string | undefined,
  signal: AbortSignal,
): Promise<Way[]> {
  const ways = [...(await accountsFor(contact, signal)), ...mailsTo(contact, messages, chosen)];
  const last = messages.findLast(({ direction }) => direction === 'inbound') ?? messages.at(-1);
  const isLast = ({ channel, accountId, threadId }: Way) =>
    last !== undefined &&
    channel === last.channel &&
    (channel === 'email'
      ? String(threadId) === last.threadId
      : last.accountId === null || accountId === last.accountId);
  return [...ways].sort((one, other) => Number(isLast(other)) - Number(isLast(one)));
}

async function accountsFor({ id, platform }: Contact, signal: AbortSignal): Promise<Way[]> {
  const { items: used } = await api.get('/v1/contacts/{id}/channels', { signal, params: { path: { id } } });
  const own = maySee(platform)
    ? await api.get(`/v1/${platform}/accounts`, { signal, params: { query: { limit: 100, status: 'active' } } })
    : { items: [] };
  const isPerson = (accountId: number) => own.items.some((one) => one.id === accountId && one.kind === 'user');
  const known = used.map(({ channel, accountId, accountName, blockedAt }) =>
    wayOf(channel, accountId, blockedAt ? t.inbox.blockedByTheContact(accountName) : accountName, isPerson(accountId)),
  );
  const others = own.items
    .filter((account) => !used.some(({ channel, accountId }) => channel === platform && accountId === account.id))
    .map(({ id: accountId, name, username }) =>
      wayOf(
        platform,
        accountId,
        own.items.filter((one) => one.name === name).length > 1 && username ? `${name} (@${username})` : name,
        isPerson(accountId),
      ),
    );
  return [...known, ...others].filter(({ channel }) => channel !== 'email' && may(`${channel}:send`));
}

/** Returns the key of the way that an account of a channel is. */
export const wayKey = (channel: string, accountId: number) => `${channel} ${accountId}`;

const wayOf = (channel: Platform, accountId: number, name: string, isPerson: boolean): Way => ({
  key: wayKey(channel, accountId),
  title: `${channelNames[channel]} · ${name}`,
  channel,
  accountId,
  maxLength: messaging[channel].maxTextCharacters,
  files: channel === 'telegram' && !isPerson ? botFiles : undefined,
});

function mailsTo({ email }: Contact, messages: readonly Schema<'Message'>[], chosen: string | undefined): Way[] {
  const last = messages.findLast(({ channel, threadId }) => channel === 'email' && threadId !== null)?.threadId;
  const kept = /^reply (\d+)$/.exec(chosen ?? '')?.[1];
  const threads = [...new Set([last, kept].flatMap((one) => (one ? [Number(one)] : [])))];
  const isOlder = (threadId: number) => String(threadId) !== last;
  return [
    ...(may('email:send') ? threads : []).map((threadId) => ({
      ...answerIn(threadId),
      ...(isOlder(threadId) && { title: t.inbox.eMailAnswerEarlier }),
    })),
    ...(email !== null && may('email:compose')
      ? [{ ...mail, key: 'new mail', title: t.inbox.eMailNewSubject, asksSubject: true }]
      : []),
  ];
}

export interface Written {
  text: string;
  subject: string;
  cc: readonly string[];
  replyAll: boolean;
  runAt: string | undefined;
  /** Ids of uploaded files. */
  attachments: readonly number[];
  isHtml: boolean;
  buttons: readonly DraftButton[];
  replyToMessageId: number | undefined;
}

/** Returns a button that opens an address, or brings a word back. */
const buttonOf = ({ text, target }: DraftButton) =>
  /^(?:https?|tg):\/\//.test(target) ? { text, url: target } : { text, data: target };

/** Sends it. Returns how to call it back, where that can be. */
export async function send(
  way: Way,
  contact: Pick<Contact, 'id' | 'email'> | undefined,
  { text, subject, cc, replyAll, runAt, attachments, isHtml, buttons, replyToMessageId }: Written,
): Promise<(() => Promise<unknown>) | undefined> {
  const { channel, accountId = 0, threadId } = way;
  const files = attachments.length > 0 ? { attachments: [...attachments] } : {};
  if (channel === 'email') {
    const body = { bodyText: text, runAt, cc: [...cc], ...files };
    if (threadId !== undefined)
      await api.post('/v1/email/threads/{id}/replies', {
        params: { path: { id: threadId } },
        body: { ...body, replyAll },
      });
    else if (contact)
      await api.post('/v1/email/messages', {
        body: { ...body, to: [contact.email ?? ''], subject, contactId: contact.id },
      });
    return undefined;
  }
  const body = { accountId, contactId: contact?.id ?? 0, runAt };
  const { id } =
    channel === 'telegram'
      ? await api.post('/v1/telegram/messages', {
          body: {
            ...body,
            ...files,
            ...(text && { text }),
            ...(isHtml && { format: 'html' as const }),
            ...(buttons.length > 0 && { buttons: buttons.map((one) => [buttonOf(one)]) }),
            replyToMessageId,
          },
        })
      : await api.post('/v1/twitter/messages', { body: { ...body, text } });
  return () => api.post(`/v1/${channel}/messages/{id}/cancel`, { params: { path: { id } } });
}
