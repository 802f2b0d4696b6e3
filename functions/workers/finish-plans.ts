import type { SQSEvent } from 'aws-lambda';
import * as v from 'valibot';
import { merging } from '#lib/contacts/merge.ts';
import { renaming } from '#lib/contacts/rename.ts';
import { detaching } from '#lib/contacts/tagging.ts';
import { holdEnrollments, releaseEnrollments } from '#lib/sequences/pause.ts';
import { largeCommit } from '#lib/table/large.ts';
import { resumePlan } from '#lib/table/plan.ts';
import { parseTenantKey } from '#lib/tenant.ts';
import { worker } from '#lib/worker.ts';

const Message = v.object({ tenant: v.string(), planId: v.string() });

const kinds = [largeCommit, merging, renaming, detaching, holdEnrollments, releaseEnrollments];

/** What was decided and then interrupted is completed. */
export const handler = worker(
  {
    summary: 'Plans that their request did not complete are completed',
    trigger: { queue: 'plans', batchSize: 1 },
    timeoutSeconds: 60,
    memoryMb: 512,
  },
  async (event: SQSEvent) => {
    for (const { body } of event.Records) {
      const { tenant, planId } = v.parse(Message, JSON.parse(body));
      await resumePlan(parseTenantKey(tenant), planId, kinds);
    }
    return { batchItemFailures: [] };
  },
);
