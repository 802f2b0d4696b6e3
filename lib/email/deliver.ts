import { isPassing } from '#lib/aws.ts';
import { secondMs } from '#lib/clock.ts';
import { Jobs, type StoredJob } from '#lib/jobs/job.ts';
import { claimJob } from '#lib/jobs/queue.ts';
import type { Outcome } from '#lib/jobs/sender.ts';
import { getJob, jobFailed, jobFailedForNow, jobSent } from '#lib/jobs/store.ts';
import { listIndexed } from '#lib/table/list.ts';
import { Transaction, transact } from '#lib/table/transaction.ts';
import { system, type Tenant } from '#lib/tenant.ts';
import { getWorkspace } from '#lib/workspaces/store.ts';
import { previewOf } from './body.ts';
import { EmailMessages, MessageIds, type StoredEmailMessage } from './message.ts';
import { sendMail } from './send.ts';
import { bodyOf, getThread, updateThread } from './store.ts';
import { maxReferences, type StoredThread } from './thread.ts';

/** Outlives one attempt; what a crash left in hand is sent again after it. */
const claimMs = 15 * secondMs;
const maxErrorCharacters = 500;

/** Sends the mail of a job that is due, unless somebody else is at it or it is no longer wanted. */
export async function deliverEmail(tenant: Tenant, jobId: number): Promise<void> {
  const claimed = await claimJob(tenant, jobId, Date.now() + claimMs);
  if (!claimed) return;
  const attempt = tenant.env === 'live' ? await send(tenant, claimed.job) : sandboxed(claimed.job);
  await transact(tenant, system, (tx) => settle(tx, jobId, attempt));
}

interface Attempt {
  outcome: Extract<Outcome, { kind: 'sent' | 'failed' | 'failed-for-now' }>;
  messageId: string | null;
}

async function send(tenant: Tenant, job: StoredJob): Promise<Attempt> {
  const tx = new Transaction(tenant, system);
  const [message, workspace] = await Promise.all([messageOf(tx, job), getWorkspace(tx)]);
  const [thread, body] = await Promise.all([getThread(tx, message.threadId), bodyOf(tx, message)]);
  try {
    const messageId = await sendMail(tenant, {
      ...message,
      senderName: workspace.name,
      inReplyTo: thread.lastInbound?.messageId ?? thread.references.at(-1) ?? null,
      references: thread.references,
      body,
    });
    return { outcome: { kind: 'sent' }, messageId };
  } catch (error) {
    const { message: reason } = error as Error;
    return {
      outcome: { kind: isPassing(error) ? 'failed-for-now' : 'failed', error: reason.slice(0, maxErrorCharacters) },
      messageId: null,
    };
  }
}

/** In the test environment nothing leaves (contract 0.7). */
function sandboxed({ recipient }: StoredJob): Attempt {
  const isRejected = recipient.toLowerCase().startsWith('test_fail@');
  return {
    outcome: isRejected ? { kind: 'failed', error: 'recipient rejected' } : { kind: 'sent' },
    messageId: null,
  };
}

/** The job, the message and its thread, the conversation and the events, at once. */
async function settle(tx: Transaction, jobId: number, { outcome, messageId }: Attempt): Promise<void> {
  const job = await getJob(tx, jobId);
  if (outcome.kind === 'failed-for-now') await jobFailedForNow(tx, job, outcome.error);
  else if (outcome.kind === 'failed') await jobFailed(tx, job, outcome.error);
  else await jobSent(tx, job);
  const { status } = await tx.get(Jobs, { id: jobId });
  const message = await messageOf(tx, job);
  if (status === message.status) return;
  tx.update(EmailMessages, { ...message, status, sentAt: status === 'sent' ? tx.now : null });
  if (status === 'sent') await continueThread(tx, message, messageId);
}

async function continueThread(tx: Transaction, message: StoredEmailMessage, messageId: string | null): Promise<void> {
  const { threadId, id } = message;
  const [thread, { bodyText }] = await Promise.all([getThread(tx, threadId), bodyOf(tx, message)]);
  if (messageId !== null) tx.create(MessageIds, { messageId, threadId, id });
  updateThread(tx, thread, {
    ...thread,
    preview: previewOf(bodyText),
    lastMessageAt: tx.now,
    references: referencesWith(thread, messageId),
  });
}

const referencesWith = ({ references }: StoredThread, messageId: string | null) =>
  messageId === null ? references : [...references, messageId].slice(-maxReferences);

async function messageOf(tx: Transaction, { id }: Pick<StoredJob, 'id'>): Promise<StoredEmailMessage> {
  const [message] = await listIndexed(tx, EmailMessages, `job=${id}`);
  if (!message) throw new Error(`job ${id} has no e-mail`);
  return message;
}
