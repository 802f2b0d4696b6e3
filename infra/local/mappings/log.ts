import { randomInt, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { after, now, sleep } from '#lib/core/clock.ts';
import type { FunctionLogs } from '../functions/log.ts';
import type { Invoke } from '../functions.ts';
import type { Home } from '../template/identities.ts';
import type { LogSubscription } from '../template.ts';
import type { SendToQueue } from './batch.ts';
import { logMatcher } from './log-pattern.ts';

/** CloudWatch Logs collects for a few seconds, or until a call to Lambda is full. */
export const collectMs = 1_000;
const maxLines = 1_000;
/** Lambda repeats an asynchronous call that failed after one minute, and after two. */
const retryAfterMs = [60_000, 120_000];

interface Line {
  id: string;
  timestamp: number;
  message: string;
}

/** Returns a line as CloudWatch Logs has it, written now. */
export function toLine(message: string): Line {
  const timestamp = now();
  return { id: `${timestamp}${randomInt(2 ** 47)}`.padEnd(56, '0'), timestamp, message };
}

/** Returns the event with which CloudWatch Logs invokes a function, as JSON. */
export function logEvent(accountId: string, { logGroup, name }: LogSubscription, logEvents: readonly Line[]): string {
  const data = {
    messageType: 'DATA_MESSAGE',
    owner: accountId,
    logGroup,
    logStream: 'local',
    subscriptionFilters: [name],
    logEvents,
  };
  return JSON.stringify({ awslogs: { data: gzipSync(JSON.stringify(data)).toString('base64') } });
}

interface Settings extends Pick<Home, 'accountId'> {
  subscription: LogSubscription;
  invoke: Invoke;
  sendToQueue: SendToQueue;
  signal: AbortSignal;
}

interface Subscribed {
  /** Takes a line of the group; those that the pattern matches go to the function in batches, soon. */
  take(line: string): void;
  /** Hands over what there is; resolves when the calls at work are done. */
  close(): Promise<void>;
}

/** Has functions be given what others log. The function it returns stops it, after the invocations at work. */
export function startSubscriptions({
  subscriptions,
  logs,
  ...settings
}: Omit<Settings, 'subscription' | 'signal'> & {
  subscriptions: readonly LogSubscription[];
  logs: Pick<FunctionLogs, 'follow'>;
}): () => Promise<void> {
  const stopping = new AbortController();
  const bySource = new Map<string, Subscribed[]>();
  const all = subscriptions.map((subscription) => {
    const subscribed = subscribe({ ...settings, subscription, signal: stopping.signal });
    for (const source of subscription.sources) bySource.set(source, [...(bySource.get(source) ?? []), subscribed]);
    return subscribed;
  });
  logs.follow((functionName, line) => {
    for (const { take } of bySource.get(functionName) ?? []) take(line);
  });
  return async () => {
    stopping.abort();
    await Promise.all(all.map(({ close }) => close()));
  };
}

/** A subscription of a function to a log group, which here is one stream. */
function subscribe({ subscription, invoke, sendToQueue, signal, accountId }: Settings): Subscribed {
  const { functionName } = subscription;
  const isWanted = logMatcher(subscription.pattern);
  const running = new Set<Promise<unknown>>();
  let collected: Line[] = [];
  let cancel: (() => void) | undefined;

  const call = async (logEvents: Line[]) => {
    const event = logEvent(accountId, subscription, logEvents);
    for (let retry = 0; ; retry += 1) {
      const { error } = await invoke(functionName, event);
      if (!error) return;
      const waitMs = retry < subscription.maxRetries ? (retryAfterMs[retry] ?? 0) : undefined;
      if (waitMs === undefined) {
        if (subscription.onFailureQueueArn)
          sendToQueue(subscription.onFailureQueueArn, failure(event, retry + 1, error));
        return;
      }
      await sleep(waitMs, signal).catch(() => {});
      if (signal.aborted) return;
    }
  };

  const failure = (event: string, approximateInvokeCount: number, error: object) =>
    JSON.stringify({
      version: '1.0',
      timestamp: new Date(now()).toISOString(),
      requestContext: {
        requestId: randomUUID(),
        functionArn: functionName,
        condition: 'RetriesExhausted',
        approximateInvokeCount,
      },
      requestPayload: JSON.parse(event),
      responseContext: { statusCode: 200, executedVersion: '$LATEST', functionError: 'Unhandled' },
      responsePayload: error,
    });

  const flush = () => {
    cancel?.();
    cancel = undefined;
    if (collected.length === 0) return;
    const run = call(collected).catch(() => {});
    collected = [];
    running.add(run);
    void run.finally(() => running.delete(run));
  };

  return {
    take(message) {
      if (!isWanted(message)) return;
      collected.push(toLine(message));
      if (collected.length >= maxLines) flush();
      else cancel ??= after(collectMs, flush);
    },
    async close() {
      flush();
      await Promise.all(running);
    },
  };
}
