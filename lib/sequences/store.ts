import { isDeepStrictEqual } from 'node:util';
import type * as v from 'valibot';
import { conflict, invalidField, notFound, unknownReference } from '#lib/core/problem.ts';
import { unknownVariableIn } from '#lib/core/variables.ts';
import { Accounts } from '#lib/entities/account.ts';
import { type EnrollmentQuery, Enrollments, type StoredEnrollment } from '#lib/entities/enrollment.ts';
import {
  type CreateSequence,
  type PatchSequence,
  type SequenceQuery,
  Sequences,
  type StoredSequence,
} from '#lib/entities/sequence.ts';
import { listPage, type Page, searched } from '#lib/table/list.ts';
import { listingFrom } from '#lib/table/listing.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** A sequence with its steps. Raises 404. */
export const getSequence = (tx: UnitOfWork, id: number): Promise<StoredSequence> =>
  tx.get(Sequences, { id }, () => notFound('sequence'));

/** Sequences in descending order of id. */
export const listSequences = (
  tx: UnitOfWork,
  query: v.InferOutput<typeof SequenceQuery>,
): Promise<Page<StoredSequence>> =>
  listPage(tx, Sequences, listingFrom(Sequences, query, { q: (q) => ({ contains: { search: searched(q) } }) }));

/** The enrollments of a sequence in descending order of id. Raises 404. */
export async function listEnrollments(
  tx: UnitOfWork,
  sequenceId: number,
  query: v.InferOutput<typeof EnrollmentQuery>,
): Promise<Page<StoredEnrollment>> {
  const [page] = await Promise.all([
    listPage(tx, Enrollments, {
      ...listingFrom(Enrollments, query, {
        status: (status) => ({ where: { status: { sequenceId, status } } }),
        contactId: (contactId) => ({ where: { member: { sequenceId, contactId } } }),
      }),
      within: { sequenceId },
    }),
    getSequence(tx, sequenceId),
  ]);
  return page;
}

/** A new sequence; sequences are made in the panel. Raises 400 for an account that is not of its channel. */
export async function createSequence(
  tx: UnitOfWork,
  input: v.InferOutput<typeof CreateSequence>,
): Promise<StoredSequence> {
  await requireAccount(tx, input);
  requireSendable(input);
  return tx.create(Sequences, {
    ...input,
    id: await tx.nextId(Sequences),
    stepCount: input.steps.length,
    enrolledCount: 0,
    activeCount: 0,
    completedCount: 0,
    repliedCount: 0,
    failedCount: 0,
    startedAt: input.status === 'draft' ? null : tx.now,
    pausedAt: input.status === 'paused' ? tx.now : null,
    createdAt: tx.now,
    updatedAt: null,
    steps: numbered(input.steps),
  });
}

const numbered = (steps: v.InferOutput<typeof CreateSequence>['steps']) =>
  steps.map(({ subject = null, ...step }, index) => ({ ...step, subject, id: index + 1, position: index + 1 }));

/** Changes the given fields of a draft. Raises 404, 409 for what is no draft any more, 400 for an account that is not of its channel. */
export async function patchSequence(
  tx: UnitOfWork,
  id: number,
  { steps, ...patch }: v.InferOutput<typeof PatchSequence>,
): Promise<StoredSequence> {
  const sequence = await getSequence(tx, id);
  requireDraft(sequence);
  const changed = { ...sequence, ...patch, ...(steps && { steps: numbered(steps), stepCount: steps.length }) };
  const next = changed as StoredSequence;
  if (isDeepStrictEqual(next, sequence)) return sequence;
  await requireAccount(tx, next);
  requireSendable(next);
  return tx.update(Sequences, { ...next, updatedAt: tx.now });
}

/** Raises 409 `sequence_not_draft`. */
export function requireDraft({ status }: Pick<StoredSequence, 'status'>): void {
  if (status !== 'draft')
    throw conflict('sequence_not_draft', `the sequence is ${status}, and only a draft can change: create a new one`, {
      status,
    });
}

/** Raises 400 for a mail without a subject, for another message with one, and for variables that there are none of. */
function requireSendable({ channel, steps }: Pick<v.InferOutput<typeof CreateSequence>, 'channel' | 'steps'>): void {
  for (const [index, { subject = null, text }] of steps.entries()) {
    const at = `steps[${index}]`;
    if (channel === 'email' && subject === null)
      throw invalidField(`${at}.subject`, 'required', `${at}.subject is required: the step is a mail`);
    if (channel !== 'email' && subject !== null)
      throw invalidField(`${at}.subject`, 'not_allowed', 'only a mail has a subject');
    for (const [field, words] of [['subject', subject ?? ''] as const, ['text', text] as const]) {
      const unknown = unknownVariableIn(words);
      if (unknown !== undefined)
        throw invalidField(
          `${at}.${field}`,
          'invalid_format',
          `${at}.${field} has the unknown variable {{${unknown}}}`,
        );
    }
  }
}

async function requireAccount(
  tx: UnitOfWork,
  { channel, accountId }: Pick<StoredSequence, 'channel' | 'accountId'>,
): Promise<void> {
  if (channel === 'email') {
    if (accountId !== null) throw invalidField('accountId', 'not_allowed', 'an e-mail sequence has no account');
    return;
  }
  if (accountId === null) throw invalidField('accountId', 'required', 'accountId is required');
  const account = await tx.find(Accounts, { id: accountId });
  if (account?.channel !== channel) throw unknownReference('accountId');
}
