import * as v from 'valibot';
import { enrollmentStatuses } from '#lib/core/choices.ts';
import { choice, count, id, paging, queryInteger, storedChoice, time } from '#lib/core/schema.ts';
import { tenantKey } from '#lib/core/tenant.ts';
import { entity } from '#lib/table/entity.ts';

/** A contact in a sequence (contract section 10). */
export const Enrollment = v.pipe(
  v.object({
    id: id(),
    sequenceId: id(),
    contactId: id(),
    contactName: v.nullable(v.string()),
    status: storedChoice(enrollmentStatuses),
    /** The position of the step whose message was made last; 0 before the first. */
    currentStep: count(),
    nextRunAt: v.nullable(time()),
    lastError: v.nullable(v.string()),
    enrolledAt: time(),
    completedAt: v.nullable(time()),
  }),
  v.title('Enrollment'),
);

export const EnrollmentQuery = v.object({
  ...paging,
  status: v.optional(choice(enrollmentStatuses)),
  contactId: v.optional(queryInteger()),
});

/** A contact in a sequence. */
export const Enrollments = entity({
  name: 'enrollment',
  schema: v.object({
    ...Enrollment.entries,
    /** The message that is on its way; the next step is counted from when it is sent. */
    jobId: v.nullable(id()),
    /** Thread of the messages of an e-mail sequence. */
    threadId: v.nullable(id()),
    /** In the links by which its recipient unsubscribes. */
    secret: v.string(),
    /** The address of the API where it was enrolled, as far as a request said it. */
    linkBase: v.nullable(v.string()),
    /** Since when it is paused with its sequence. */
    heldAt: v.nullable(time()),
  }),
  references: [
    { to: 'sequence', field: 'sequenceId' },
    { to: 'contact', field: 'contactId', shows: 'contactName', isOwned: true },
  ],
  within: 'sequence/{sequenceId}/enrollment',
  indexes: {
    status: { at: 'sequence={sequenceId}&status={status}', of: ({ sequenceId, status }) => ({ sequenceId, status }) },
    member: {
      at: 'sequence={sequenceId}&contact={contactId}',
      of: ({ sequenceId, contactId }) => ({ sequenceId, contactId }),
    },
    contact: ({ contactId }) => contactId,
    running: ({ status, contactId }) => status === 'active' && contactId,
  },
  timer: ({ id, sequenceId, status, nextRunAt, heldAt }, tenant) =>
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
