import type { EventBridgeEvent } from 'aws-lambda';
import * as v from 'valibot';
import { fetchMail } from '#lib/email/bucket.ts';
import { deliverIncoming } from '#lib/email/incoming.ts';
import { worker } from '#lib/worker.ts';

const Detail = v.object({ object: v.object({ key: v.string() }) });

/** Every mail that SES stores reaches the workspaces that it is addressed to. */
export const handler = worker(
  {
    summary: 'Incoming mail is stored in its thread',
    trigger: { bucket: 'mail' },
    needs: ['mail-bucket'],
    timeoutSeconds: 60,
    memoryMb: 1024,
  },
  async (event: EventBridgeEvent<'Object Created', unknown>) => {
    await deliverIncoming(await fetchMail(v.parse(Detail, event.detail).object.key));
  },
);
