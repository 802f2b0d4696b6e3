import * as v from 'valibot';
import { choice, paging, queryInteger, time } from '#lib/schema.ts';
import { entity } from '#lib/table/entity.ts';
import { tenantKey } from '#lib/tenant.ts';

const statuses = ['active', 'paused', 'replied', 'completed', 'failed', 'stopped'] as const;

/** A contact in a sequence (contract section 10). */
export const Enrollment = v.pipe(
  v.object({
    id: v.number(),
    sequenceId: v.number(),
    contactId: v.number(),
    contactName: v.nullable(v.string()),
    status: v.picklist(statuses),
    /** The position of the step whose message was made last; 0 before the first. */
    currentStep: v.number(),
    nextRunAt: v.nullable(time()),
    lastError: v.nullable(v.string()),
    enrolledAt: time(),
    completedAt: v.nullable(time()),
  }),
  v.title('Enrollment'),
);

export const EnrollmentQuery = v.object({
  ...paging,
  status: v.optional(choice(statuses)),
  contactId: v.optional(queryInteger()),
});

/** The partition of a sequence's enrollments. */
export const enrollmentsOf = (sequenceId: number) => `sequence/${sequenceId}/enrollment`;
/** The index entry of those of one status. */
export const withStatus = (sequenceId: number, status: string) => `sequence=${sequenceId}&status=${status}`;

export const Enrollments = entity({
  name: 'enrollment',
  schema: v.object({
    ...Enrollment.entries,
    /** The message that is on its way; the next step is counted from when it is sent. */
    jobId: v.nullable(v.number()),
    /** Of an e-mail sequence: the thread of its messages. */
    threadId: v.nullable(v.number()),
    /** Since when the pause of the sequence holds it. */
    heldAt: v.nullable(time()),
  }),
  within: ({ sequenceId }) => enrollmentsOf(sequenceId),
  indexes: ({ sequenceId, contactId, status }) => [
    { name: withStatus(sequenceId, status) },
    { name: `sequence=${sequenceId}&contact=${contactId}` },
    { name: `contact=${contactId}` },
  ],
  wakeUp: ({ id, sequenceId, status, nextRunAt, heldAt }, tenant) =>
    status === 'active' && nextRunAt !== null && heldAt === null
      ? {
          at: nextRunAt,
          queue: 'sequences',
          message: { sequenceId, enrollmentId: id },
          group: `${tenantKey(tenant)}/sequence/${sequenceId}`,
        }
      : null,
});

export type StoredEnrollment = v.InferOutput<(typeof Enrollments)['schema']>;
