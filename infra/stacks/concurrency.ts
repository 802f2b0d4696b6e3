import { Annotations, type Stack } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { WorkerFunction } from '#infra/functions.ts';
import { ContextProblem, type DeploymentSettings } from '#infra/settings.ts';
import type { Alarms } from './alarms.ts';

type Concurrency = Pick<DeploymentSettings, 'accountConcurrency' | 'slowConcurrency'>;

/** Concurrency quota that AWS gives on request; new accounts have 10 to 50. The shares of the workers are declared for it. */
const usualConcurrency = 1_000;
/** The least that AWS takes for a queue. */
const leastShare = 2;

/** Returns the maximum concurrency of a worker for the quota of the account. A quota below the usual one shrinks every share. */
export const shareOf = (declared: number, accountConcurrency: number) =>
  Math.max(leastShare, Math.floor(declared * Math.min(1, accountConcurrency / usualConcurrency)));

/** Concurrency that AWS keeps for the functions of an account that reserve none. */
const unreservedConcurrency = 100;

/**
 * Returns what each of the slow functions reserves, if anything. Raises ContextProblem where the account cannot spare it: AWS would
 * refuse the deployment.
 */
export function reservedOf(
  { slowConcurrency, accountConcurrency }: Concurrency,
  functions: number,
): number | undefined {
  if (slowConcurrency !== undefined && functions * slowConcurrency > accountConcurrency - unreservedConcurrency)
    throw new ContextProblem(
      `context slowConcurrency: ${functions} functions reserve it, and ${unreservedConcurrency} of ${accountConcurrency} must be left`,
    );
  return slowConcurrency;
}

/**
 * Watches what every function of the account shares. Queues have shares, so that no tenant's endpoints, accounts or mails can
 * take what the API answers with.
 */
export function watchConcurrency(
  stack: Stack,
  alarms: Alarms,
  workers: readonly WorkerFunction[],
  accountConcurrency: number,
): void {
  const shares = workers
    .flatMap(({ worker: { trigger } }) => ('queue' in trigger ? [trigger.maxConcurrency] : []))
    .reduce((sum, declared) => sum + shareOf(declared, accountConcurrency), 0);
  if (shares > accountConcurrency / 2)
    Annotations.of(stack).addWarningV2(
      'crm-api:little-concurrency',
      `the workers may take ${shares} of the account's Lambda concurrency of ${accountConcurrency}, which leaves the API less than half: ask AWS for a quota of ${usualConcurrency}`,
    );
  const ofAccount = (metricName: string, statistic: string) =>
    new Metric({ namespace: 'AWS/Lambda', metricName, statistic });
  alarms.add(stack, 'LambdaThrottles', {
    metric: ofAccount('Throttles', Stats.SUM),
    threshold: 10,
    description: 'Lambda refused more than 10 invocations of a minute in this account',
  });
  const limit = Math.floor(0.8 * accountConcurrency);
  alarms.add(stack, 'LambdaConcurrency', {
    metric: ofAccount('ConcurrentExecutions', Stats.MAXIMUM),
    threshold: limit,
    description: `More than ${limit} of the ${accountConcurrency} invocations that the account may run at once did`,
  });
}
