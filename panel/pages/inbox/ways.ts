import type { Schema } from '../../../client/index.ts';
import { messaging } from '../../api/lists.ts';
import { maySee } from '../../app/accounts.ts';
import { api } from '../../app/api.ts';
import { type Channel, channelNames, type Platform } from '../../app/channels.ts';
import { may } from '../../app/session.ts';
import { t } from '../../app/texts.ts';

type Contact = Schema<'ContactWithTags'>;

/** How a message can reach a contact. */
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
}

const maxMailCharacters = 100_000;

/** The one that the contact has used last comes first. */
export async function waysTo(
  contact: Contact,
  messages: readonly Schema<'Message'>[],
  signal: AbortSignal,
): Promise<Way[]> {
  const accounts = [...(await accountsFor(contact, signal)), ...(await mailsTo(contact, messages, signal))];
  const last = messages.findLast(({ direction }) => direction === 'inbound') ?? messages.at(-1);
  const isLast = ({ channel, accountId }: Way) =>
    last !== undefined && channel === last.channel && (last.accountId === null || accountId === last.accountId);
  return [...accounts].sort((one, other) => Number(isLast(other)) - Number(isLast(one)));
}

async function accountsFor({ id, platform }: Contact, signal: AbortSignal): Promise<Way[]> {
  const { items: used } = await api.get('/v1/contacts/{id}/channels', { signal, params: { path: { id } } });
  const known = used.map(({ channel, accountId, accountName, blockedAt }) =>
    wayOf(channel, accountId, blockedAt ? t.inbox.blockedByTheContact(accountName) : accountName),
  );
  const own = maySee(platform)
    ? await api.get(`/v1/${platform}/accounts`, { signal, params: { query: { limit: 100, status: 'active' } } })
    : { items: [] };
  const others = own.items
    .filter((account) => !used.some(({ channel, accountId }) => channel === platform && accountId === account.id))
    .map((account) => wayOf(platform, account.id, account.name));
  return [...known, ...others].filter(({ channel }) => channel !== 'email' && may(`${channel}:send`));
}

const wayOf = (channel: Platform, accountId: number, name: string): Way => ({
  key: `${channel} ${accountId}`,
  title: `${channelNames[channel]} · ${name}`,
  channel,
  accountId,
  maxLength: messaging[channel].maxTextCharacters,
});

async function mailsTo(
  { email }: Contact,
  messages: readonly Schema<'Message'>[],
  signal: AbortSignal,
): Promise<Way[]> {
  const thread = messages.findLast(({ channel, threadId }) => channel === 'email' && threadId !== null)?.threadId;
  const common = { channel: 'email', maxLength: maxMailCharacters } as const;
  const ways: Way[] = [];
  if (thread && may('email:send'))
    ways.push({ ...common, key: 'reply', title: await titleOfReply(Number(thread), signal), threadId: Number(thread) });
  if (email !== null && may('email:compose'))
    ways.push({ ...common, key: 'new mail', title: t.inbox.eMailNewSubject, asksSubject: true });
  return ways;
}

/** Says whom an answer in the thread goes to: its sender may ask for another address. */
async function titleOfReply(id: number, signal: AbortSignal): Promise<string> {
  const title = t.inbox.eMailAnswerTheLast;
  if (!may('email:read')) return title;
  const { items } = await api.get('/v1/email/threads/{id}/messages', { signal, params: { path: { id } } });
  const received = items.filter(({ direction }) => direction === 'inbound');
  const last = received.find(({ isAutomatic }) => !isAutomatic) ?? received[0];
  if (!last) return title;
  const recipients = last.replyTo.length > 0 ? last.replyTo : [last.from];
  return t.inbox.toTitle(title, recipients.map((one) => one.email).join(', '));
}

interface Draft {
  text: string;
  subject: string;
  runAt: string | undefined;
}

/** Sends it. Returns how to call it back, where that can be. */
export async function send(way: Way, contact: Contact, draft: Draft): Promise<(() => Promise<unknown>) | undefined> {
  const { text, subject, runAt } = draft;
  const { channel, accountId = 0, threadId } = way;
  if (channel === 'email') {
    const mail = { bodyText: text, runAt };
    if (threadId === undefined) {
      const body = { ...mail, to: [contact.email ?? ''], subject, contactId: contact.id };
      await api.post('/v1/email/messages', { body });
    } else await api.post('/v1/email/threads/{id}/replies', { params: { path: { id: threadId } }, body: mail });
    return undefined;
  }
  const { id } = await api.post(`/v1/${channel}/messages`, { body: { accountId, contactId: contact.id, text, runAt } });
  return () => api.post(`/v1/${channel}/messages/{id}/cancel`, { params: { path: { id } } });
}
