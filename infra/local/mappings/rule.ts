import { sleep } from '#lib/core/clock.ts';
import type { Invoke } from '../functions.ts';
import type { Home } from '../template/identities.ts';
import type { RateRule } from '../template.ts';
import { awsEvent } from './event.ts';

/** By then the sweeper takes all that fell due before the start for overdue. */
const firstAfterMs = 6_000;

/** Invokes a function at the rule's rate until the signal, and once soon after the start: what fell due meanwhile is late already. */
export async function runRule(rule: RateRule, invoke: Invoke, home: Home, signal: AbortSignal): Promise<void> {
  const running = new Set<Promise<unknown>>();
  let waitMs = firstAfterMs;
  for (;;) {
    await sleep(waitMs, signal).catch(() => {});
    if (signal.aborted) break;
    const run = invoke(rule.functionName, rule.input ?? JSON.stringify(scheduledEvent(rule, home)));
    running.add(run);
    void run.finally(() => running.delete(run));
    waitMs = rule.intervalMs;
  }
  await Promise.all(running);
}

const scheduledEvent = ({ arn }: RateRule, home: Home) =>
  awsEvent('aws.events', { 'detail-type': 'Scheduled Event', resources: [arn], detail: {} }, home);
