import { env } from '#lib/core/env.ts';
import { notFound } from '#lib/core/problem.ts';
import { isSameSecret } from '#lib/core/same-secret.ts';
import { environments, system, type Tenant } from '#lib/core/tenant.ts';
import { reasonsOf, suppress } from '#lib/email/suppressed.ts';
import { Enrollments } from '#lib/entities/enrollment.ts';
import { Jobs, type StoredJob } from '#lib/entities/job.ts';
import { resolveMerged } from '#lib/entities/references/merged.ts';
import { Sequences } from '#lib/entities/sequence.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { endEarly } from './end-early.ts';
import { runningEnrollments } from './running.ts';

/** Why a mail of a sequence is not sent. */
const unsubscribed = 'unsubscribed';

/** Where the recipient of a sequence mail unsubscribes; undefined where nobody knows the address of this deployment. */
export async function unsubscribeUrl(tx: UnitOfWork, job: StoredJob): Promise<string | undefined> {
  const { id, sequenceId, enrollmentId } = job;
  if (sequenceId === null || enrollmentId === null) return undefined;
  const enrollment = await tx.find(Enrollments, { sequenceId, id: enrollmentId });
  const base = env('PUBLIC_URL')?.replace(/\/$/, '') ?? enrollment?.linkBase;
  const { workspaceId, env: environment } = tx.tenant;
  return enrollment && base
    ? `${base}/hooks/unsubscribe/${[workspaceId, environment, id, enrollment.secret].join('-')}`
    : undefined;
}

/** Unsubscribes the address that a sequence mail went to. Emits contact.unsubscribed. Raises 404 for a link that is none. */
export async function unsubscribe(token: string): Promise<void> {
  const [, workspaceId, environment, jobId, secret = ''] = /^(\d{1,10})-(\w+)-(\d{1,10})-(\w+)$/.exec(token) ?? [];
  const name = environments.find((one) => one === environment);
  if (name === undefined) throw notFound('link');
  const tenant: Tenant = { workspaceId: Number(workspaceId), env: name };
  await transact(tenant, system, (tx) => unsubscribeBy(tx, Number(jobId), secret));
}

async function unsubscribeBy(tx: UnitOfWork, jobId: number, secret: string): Promise<void> {
  const job = await tx.get(Jobs, { id: jobId }, () => notFound('link'));
  const { sequenceId, enrollmentId, recipient: address } = job;
  const enrollment =
    sequenceId === null || enrollmentId === null
      ? undefined
      : await tx.find(Enrollments, { sequenceId, id: enrollmentId });
  if (!enrollment || !isSameSecret(enrollment.secret, secret)) throw notFound('link');
  // A link may be opened without end.
  if ((await reasonsOf(tx, address)).includes('unsubscribe')) return;
  await suppress(tx, address, 'unsubscribe');
  const contact = await resolveMerged(tx, enrollment.contactId);
  if (!contact) return;
  for (const one of await runningEnrollments(tx, contact.id, maxAtOnce)) {
    const sequence = await tx.find(Sequences, { id: one.sequenceId });
    if (sequence?.channel === 'email' && tx.hasRoom) await endEarly(tx, one, 'stopped', unsubscribed);
  }
  tx.emit({
    kind: 'contact.unsubscribed',
    subject: `contact/${contact.id}`,
    data: { contact_id: String(contact.id), address },
  });
}

/** Others end with their next step. */
const maxAtOnce = 25;
