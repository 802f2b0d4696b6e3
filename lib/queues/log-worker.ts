import { gunzipSync } from 'node:zlib';
import type { CloudWatchLogsDecodedData, CloudWatchLogsEvent } from 'aws-lambda';
import type { LoggedLine } from '#lib/workspaces/keep-request.ts';
import { type TriggeredBy, type Worker, worker } from './worker.ts';

/** A Lambda fed with lines of the API's log. When it fails Lambda calls it twice more, and then keeps the lines as a dead letter. */
export const logWorker = (
  settings: TriggeredBy<'log'>,
  work: (lines: readonly LoggedLine[]) => Promise<void>,
): Worker<CloudWatchLogsEvent, void> =>
  worker(settings, async ({ awslogs }) => {
    const { messageType, logEvents }: CloudWatchLogsDecodedData = JSON.parse(
      gunzipSync(Buffer.from(awslogs.data, 'base64')).toString(),
    );
    // Or CloudWatch Logs looks whether the worker can be reached.
    if (messageType === 'DATA_MESSAGE') await work(logEvents);
  });
