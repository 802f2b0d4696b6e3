import type { SQSEvent } from 'aws-lambda';
import * as v from 'valibot';
import { merging } from '#lib/contacts/merge.ts';
import { renaming } from '#lib/contacts/rename.ts';
import { detaching } from '#lib/contacts/tagging.ts';
import { entities } from '#lib/entities/all.ts';
import type { PlanName } from '#lib/plans.ts';
import { cancelQueued } from '#lib/sending/cancel.ts';
import { followingMail } from '#lib/sending/following-mail.ts';
import { followingMessage } from '#lib/sending/settle.ts';
import { holdEnrollments, releaseEnrollments } from '#lib/sequences/pause.ts';
import { largeCommit } from '#lib/table/large.ts';
import type { PlanKind } from '#lib/table/plan.ts';
import { reindexing } from '#lib/table/reindex.ts';
import { resumePlan } from '#lib/table/resume.ts';
import { planTimeoutSeconds } from '#lib/timeouts.ts';
import { receive } from '#lib/wake-ups/receive.ts';
import { worker } from '#lib/worker.ts';

const kinds: { [Name in PlanName]: PlanKind<Record<string, unknown>, Name> } = {
  commit: largeCommit,
  detach: detaching,
  'job-end': followingMessage.plan,
  'key-cancel': cancelQueued,
  'mail-end': followingMail.plan,
  merge: merging,
  reindex: reindexing(entities),
  rename: renaming,
  'sequence-pause': holdEnrollments,
  'sequence-resume': releaseEnrollments,
};

/** What was decided and then interrupted is completed. */
export const handler = worker(
  {
    summary: 'Plans that their request did not complete are completed',
    trigger: { queue: 'plans', batchSize: 1, maxConcurrency: 20 },
    timeoutSeconds: planTimeoutSeconds,
    memoryMb: 512,
  },
  (event: SQSEvent) =>
    receive(event, { planId: v.string() }, (tenant, { planId }) => resumePlan(tenant, planId, Object.values(kinds))),
);
