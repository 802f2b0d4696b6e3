import * as v from 'valibot';
import { idInput } from '#lib/core/schema.ts';
import { Enrollment } from '#lib/entities/enrollment.ts';
import { type BatchOps, batchAnswer, batchOp } from '#lib/table/batch.ts';
import { enroll } from './enroll.ts';

export const EnrollmentResults = batchAnswer('EnrollmentResults', 'enrollment', Enrollment);

/** Returns the operation that enrolls the contacts of one call in turn, as each changes the counts of the sequence. */
export const enrollOps = (sequenceId: number, linkBase: string): BatchOps => ({
  enroll: batchOp({
    schema: v.object({ op: v.literal('enroll'), contactId: idInput() }),
    touches: () => '*',
    run: async (tx, { contactId }) => ({ status: 201, shown: await enroll(tx, sequenceId, contactId, linkBase) }),
  }),
});
