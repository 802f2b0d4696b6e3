import { createHash } from 'node:crypto';
import { dayMs, epochSeconds, timestamp } from '#lib/core/clock.ts';
import { log } from '#lib/core/log.ts';
import { measure } from '#lib/core/metrics.ts';
import { reasonOf, requireReadable } from '#lib/table/dead-letter.ts';
import { identity } from '#lib/table/keys.ts';
import { putRows, type Row } from '#lib/table/rows.ts';
import { RequestLine } from './request-line.ts';
import { firstIdAt, idsPerMs, keptDays, partitionAt, sortKeyOf } from './request-row.ts';

/** A line of a log, with what CloudWatch Logs calls it: the same when it comes again. */
export interface LoggedLine {
  id: string;
  message: string;
}

/** Under these the worker measures. */
export const requestLogDimensions = { worker: 'keep-requests' };

/**
 * Writes requests to the request logs of their workspaces, one row each and nothing besides. What comes again is written again, in
 * the same place. Raises 503 when the table does not take them all.
 */
export async function keepRequests(lines: readonly LoggedLine[]): Promise<void> {
  const rows = new Map<string, Row>();
  let unreadable = 0;
  for (const { id, message } of lines) {
    try {
      let row = rowOf(requireReadable(RequestLine, JSON.parse(message)), numberOf(id));
      // Several may have the same millisecond and number, and DynamoDB takes no key twice in a call.
      for (let more = 1; rows.has(identity(row)); more += 1)
        row = rowOf(requireReadable(RequestLine, JSON.parse(message)), (numberOf(id) + more) % idsPerMs);
      rows.set(identity(row), row);
    } catch (error) {
      // It would be no better the next time, and the others of its batch would wait for it.
      unreadable += 1;
      log().error('a line of the log is no request', { line: id, reason: reasonOf(error) });
    }
  }
  if (unreadable > 0) measure(requestLogDimensions, { unreadableRequests: unreadable });
  await putRows([...rows.values()]);
}

/** Which of a millisecond's ids it gets. */
const numberOf = (id: string) => createHash('sha256').update(id).digest().readUInt16BE(0) % idsPerMs;

function rowOf(line: RequestLine, number: number): Row {
  const { timestamp: writtenAt, isKept: _, workspaceId, env, durationMs, ...shown } = line;
  const beganMs = new Date(writtenAt).getTime() - Math.round(durationMs);
  const id = firstIdAt(beganMs) + number;
  return {
    pk: partitionAt({ workspaceId, env }, beganMs),
    sk: sortKeyOf(id),
    id,
    at: timestamp(new Date(beganMs)),
    ...shown,
    durationMs: Math.round(durationMs),
    expiresAtSeconds: epochSeconds(new Date(beganMs + keptDays * dayMs)),
  };
}
