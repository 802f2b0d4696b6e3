import { invalidField } from '#lib/core/problem.ts';
import { maxRecipients } from '#lib/entities/email-message.ts';
import type { Mailbox } from '#lib/entities/email-thread.ts';
import { takeFiles } from '#lib/files/store.ts';
import { requireWithinYear } from '#lib/messages/jobs/change.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { distinct } from './address.ts';
import { isOverlong } from './body.ts';
import { sanitise } from './html.ts';
import type { NewMail } from './outgoing.ts';
import { requireReachable } from './suppressed.ts';

/** In base64, with the text, SES takes no more. */
const maxFilesBytes = 25 * 1024 * 1024;

/** Content of a mail that somebody writes. */
export interface Written {
  to: readonly [Mailbox, ...Mailbox[]];
  cc: readonly Mailbox[];
  bcc: readonly Mailbox[];
  subject: string;
  bodyText: string;
  bodyHtml: string | null;
  runAt: string | null;
  /** Also to addresses from which a mail has bounced for good. */
  force: boolean;
  /** The ids of files. */
  attachments?: readonly number[] | undefined;
}

/**
 * The mail as it may leave: each recipient once, its HTML as it is shown. `last` is the field that made them too many. Raises 400 for
 * those, for a time more than a year ahead, for HTML that is too long once it is safe and for files that cannot be sent, 409
 * recipient_bounced unless it is forced.
 */
export async function prepareMail(tx: UnitOfWork, { force, ...written }: Written, last: string): Promise<NewMail> {
  const { to, cc, bcc, subject, bodyText, bodyHtml, runAt, attachments: fileIds } = written;
  requireWithinYear(tx, runAt);
  const [first, ...others] = to;
  const named = distinct([first, ...others]);
  const besides = (more: readonly Mailbox[]) => distinct([...named, ...more]).slice(named.length);
  const [copied, hidden] = [besides(cc), besides(bcc)];
  if (named.length + copied.length + hidden.length > maxRecipients)
    throw invalidField(last, 'too_many', `a mail goes to at most ${maxRecipients} addresses, copies included`);
  if (!force) await requireReachable(tx, [...named, ...copied, ...hidden]);
  const attachments = await takeFiles(tx, fileIds);
  if (attachments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) > maxFilesBytes)
    throw invalidField('attachments', 'out_of_range', 'attachments of a mail must have at most 25 MB in all');
  const html = (bodyHtml && sanitise(bodyHtml)) || null;
  if (isOverlong({ bodyText, bodyHtml: html, newText: bodyText }))
    throw invalidField('bodyHtml', 'too_long', `bodyHtml must be shorter: made safe it has ${html?.length} characters`);
  return {
    to: [first, ...named.slice(1)],
    cc: copied,
    bcc: hidden,
    subject,
    bodyText,
    bodyHtml: html,
    runAt,
    attachments,
  };
}

export const unnamed = (email: string): Mailbox => ({ name: null, email });
