import * as v from 'valibot';
import { topicOf } from '#lib/core/mail-subject.ts';
import { badRequest, conflict } from '#lib/core/problem.ts';
import { firstCharacters } from '#lib/core/text.ts';
import {
  type CreateReply,
  EmailMessages,
  maxTextCharacters,
  type ReplyJob,
  type StoredEmailMessage,
} from '#lib/entities/email-message.ts';
import { Mailbox, type StoredThread } from '#lib/entities/email-thread.ts';
import { Jobs } from '#lib/entities/job.ts';
import { Messages } from '#lib/entities/message.ts';
import { originOf } from '#lib/messages/jobs/store.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { getWorkspace } from '#lib/workspaces/store.ts';
import { canBeReached } from './address.ts';
import type { Body } from './body.ts';
import { escapeHtml } from './html.ts';
import { queueMail } from './outgoing.ts';
import { requireSender } from './sender.ts';
import { bodyOf, getThread } from './store.ts';
import { prepareMail, unnamed, type Written } from './written.ts';

const maxHtmlCharacters = 200_000;

/**
 * Queues a reply to the sender of the newest inbound message, or to whom that asks to answer (`Reply-To`). Raises 404, 409 for a spam thread and where no mail can leave, 400 when
 * nobody wrote yet, 409 for a recipient whose address bounced, 429 beyond the quota of the day on which it leaves. Needs `mail-sender`.
 */
export async function createReply(
  tx: UnitOfWork,
  threadId: number,
  { replyAll, quote, ...written }: v.InferOutput<typeof CreateReply>,
): Promise<v.InferInput<typeof ReplyJob>> {
  const [thread, workspace] = await Promise.all([
    getThread(tx, threadId),
    getWorkspace(tx),
    tx.reserveIds({ [EmailMessages.name]: 1, [Jobs.name]: 1, [Messages.name]: 1 }),
  ]);
  requireSender();
  if (thread.status === 'spam')
    throw conflict('thread_is_spam', 'the thread is marked as spam: set its status to open before you reply');
  if (thread.lastInbound === null)
    throw badRequest('no_recipient', 'nobody outside has written in this thread yet: send a new mail instead');
  const { to, others } = recipientsOf(thread.lastInbound);
  const [first] = to;
  if (!canBeReached(first.email))
    throw badRequest(
      'no_recipient',
      'no mail can reach the sender of the newest message: send a new mail to another address',
    );
  const mail = await prepareMail(
    tx,
    {
      ...(quote ? quoting(written, await answered(tx, thread)) : written),
      to,
      cc: [...(replyAll ? others : []), ...written.cc.map(unnamed)],
      bcc: written.bcc.map(unnamed),
      subject: `Re: ${topicOf(thread.subject)}`.trim(),
    },
    'replyAll',
  );
  const job = await queueMail(tx, thread, workspace, mail, originOf(tx));
  return { ...job, threadId };
}

/** Returns the recipients of a reply, and the further ones of a reply to all. */
function recipientsOf({ from, replyTo, others }: NonNullable<StoredThread['lastInbound']>) {
  const [first = from, ...more] = replyTo;
  return { to: [first, ...more] as const, others: others.filter(({ email }) => canBeReached(email)) };
}

/** Recipients of a reply to a thread. */
export const ReplyRecipients = v.pipe(
  v.object({
    /** Sender of the newest inbound mail. */
    from: v.nullable(Mailbox),
    /** Addresses that the sender asks to answer (`Reply-To`), else the sender. */
    to: v.array(Mailbox),
    /** Further recipients of a reply to all. */
    others: v.array(Mailbox),
  }),
  v.title('ReplyRecipients'),
);

/** Returns whom a reply to a thread goes to; nobody while nobody outside wrote. Raises 404. */
export async function getRecipients(tx: UnitOfWork, threadId: number): Promise<v.InferInput<typeof ReplyRecipients>> {
  const { lastInbound } = await getThread(tx, threadId);
  if (lastInbound === null) return { from: null, to: [], others: [] };
  const { to, others } = recipientsOf(lastInbound);
  return { from: lastInbound.from, to: [...to], others };
}

/** The mail that a reply to a thread answers, as far as it is there. */
async function answered(tx: UnitOfWork, { id: threadId, lastInbound }: StoredThread): Promise<Quoted | undefined> {
  const mail = lastInbound && (await tx.find(EmailMessages, { threadId, id: lastInbound.id }));
  return mail ? { ...mail, ...(await bodyOf(tx, mail)) } : undefined;
}

type Quoted = Pick<StoredEmailMessage, 'from' | 'sentAt' | 'createdAt'> & Body;
type Texts = Pick<Written, 'bodyText' | 'bodyHtml'>;

/** Returns the texts of an answer with the mail that it quotes below, cut to the limits. */
function quoting<Of extends Texts>(written: Of, mail: Quoted | undefined): Of {
  if (!mail) return written;
  const { name, email } = mail.from;
  const at = (mail.sentAt ?? mail.createdAt).replace('T', ' ').replace(/:\d\d(\.\d+)?Z$/, ' UTC');
  const head = `On ${at}, ${name === null ? email : `${name} <${email}>`} wrote:`;
  const lines = mail.bodyText.split('\n').map((line) => (line.startsWith('>') ? `>${line}` : `> ${line}`));
  const text = firstCharacters(`${written.bodyText}\n\n${head}\n${lines.join('\n')}`, maxTextCharacters);
  if (written.bodyHtml === null) return { ...written, bodyText: text };
  const inner = mail.bodyHtml ?? `<p>${escapeHtml(mail.bodyText).replaceAll('\n', '<br />')}</p>`;
  const html = `${written.bodyHtml}<p>${escapeHtml(head)}</p><blockquote type="cite">${inner}</blockquote>`;
  return { ...written, bodyText: text, bodyHtml: html.length > maxHtmlCharacters ? written.bodyHtml : html };
}
