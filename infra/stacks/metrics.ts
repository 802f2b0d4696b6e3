import { MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as Lambda } from 'aws-cdk-lib/aws-lambda';
import type { AlarmSettings, Alarms } from './alarms.ts';

/** Adds the alarms on what a worker itself measures (lib/metrics.ts); most measure nothing. */
export function watchMetrics(lambda: Lambda, name: string, alarms: Alarms): void {
  for (const [id, settings] of Object.entries(measuredBy(name, lambda))) alarms.add(lambda, id, settings);
}

function measuredBy(name: string, lambda: Lambda): Record<string, AlarmSettings> {
  const metric = (metricName: string, statistic: string, dimensions: Record<string, string>) =>
    new Metric({
      namespace: 'CrmApi',
      metricName,
      statistic,
      dimensionsMap: { service: lambda.functionName, ...dimensions },
    });
  switch (name) {
    case 'workers-sweep':
      return swept((metricName) => metric(metricName, Stats.MAXIMUM, { worker: 'sweep' }));
    case 'workers-deliver':
      return delivered((metricName, statistic) =>
        metric(metricName, statistic, { worker: 'deliver', lane: 'deliveries' }),
      );
    case 'workers-deliver-slow':
      return delivered((metricName, statistic) =>
        metric(metricName, statistic, { worker: 'deliver', lane: 'slow-deliveries' }),
      );
    default:
      return {};
  }
}

const swept = (metric: (metricName: string) => Metric): Record<string, AlarmSettings> => ({
  Overdue: {
    metric: metric('overdueRows'),
    threshold: 100,
    description: 'More than 100 rows were past their time: jobs or deliveries are not being worked on',
  },
  Unpublished: {
    metric: metric('unpublishedRows'),
    threshold: 100,
    description: 'More than 100 changes had no event in the feed yet',
  },
});

const delivered = (metric: (metricName: string, statistic: string) => Metric): Record<string, AlarmSettings> => ({
  Latency: {
    metric: metric('deliveryLatency', Stats.p(50)),
    threshold: 60_000,
    description: 'Half of the webhook deliveries arrived more than a minute after the change',
  },
  Failing: {
    metric: new MathExpression({
      expression: 'IF(attempts > 50, 100 * failures / attempts, 0)',
      usingMetrics: {
        attempts: metric('deliveryAttempts', Stats.SUM),
        failures: metric('deliveryFailures', Stats.SUM),
      },
    }),
    threshold: 50,
    description: 'More than half of the webhook attempts of a minute failed',
  },
  Breakers: {
    metric: metric('breakerOpenings', Stats.SUM),
    threshold: 10,
    description: 'More than 10 times in a minute an endpoint was given a rest after failing again and again',
  },
});
