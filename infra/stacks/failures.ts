import type { Stack } from 'aws-cdk-lib';
import { Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { metricNamespace } from '#lib/core/metrics.ts';
import type { Alarms } from './alarms.ts';

/**
 * One alarm for the invocations of all workers that failed, crashed or ran out of time, by what Lambda says of each in their log
 * (telemetry API, platform.report); alarms on the metric Errors of each would cost ten times as much. Which one it was stands in
 * the name of the stream, and on the dashboard.
 */
export function watchFailures(stack: Stack, alarms: Alarms, logGroup: LogGroup): void {
  const filter = new MetricFilter(stack, 'FailedWorkers', {
    logGroup,
    filterPattern: FilterPattern.all(
      FilterPattern.stringValue('$.type', '=', 'platform.report'),
      FilterPattern.stringValue('$.record.status', '!=', 'success'),
    ),
    // A metric filter knows no dimension that the line does not hold: several stacks of an account are told apart by their namespace.
    metricNamespace: `${metricNamespace}/${stack.stackName}`,
    metricName: 'failedInvocations',
    metricValue: '1',
  });
  alarms.add(stack, 'WorkersErrors', {
    metric: filter.metric({ statistic: Stats.SUM }),
    threshold: 0,
    description: 'An invocation of a worker failed or ran out of time; the dashboard says of which',
  });
}
