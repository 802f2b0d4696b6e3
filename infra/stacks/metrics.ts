import type { Stack } from 'aws-cdk-lib';
import { MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as Lambda } from 'aws-cdk-lib/aws-lambda';
import { signInDimensions } from '#lib/auth/session-dimensions.ts';
import { type MetricName, metricNamespace } from '#lib/core/metrics.ts';
import { busDimensions } from '#lib/publishing/bus.ts';
import { sweepDimensions } from '#lib/table/dead-letter.ts';
import { fileDimensions } from '#lib/transport/receiving/dimensions.ts';
import { mailDimensions } from '#lib/transport/sending/dimensions.ts';
import { dimensionsOf } from '#lib/webhooks/delivery-metrics.ts';
import { requestLogDimensions } from '#lib/workspaces/keep-request.ts';
import type { AlarmSettings, Alarms } from './alarms.ts';

/** Adds the alarms on what a worker itself measures (lib/core/metrics.ts); most measure nothing. */
export function watchMetrics(lambda: Lambda, name: string, alarms: Alarms): void {
  const metric = measuredBy(lambda, name);
  if (!metric) return;
  for (const [id, settings] of Object.entries(measured[name]?.alarms(metric) ?? {})) alarms.add(lambda, id, settings);
}

/** Rings when the operator's event bus takes nothing for some minutes. */
export function watchBus(stack: Stack, alarms: Alarms, table: string): void {
  alarms.add(stack, 'EventBus', {
    metric: new Metric({
      namespace: metricNamespace,
      metricName: 'busFailures' satisfies MetricName,
      statistic: Stats.SUM,
      dimensionsMap: busDimensions(table),
    }),
    periodMinutes: 5,
    threshold: 3,
    description: 'More than 3 times within 5 minutes events could not be put on the event bus; they wait',
  });
}

/** A metric of one source by its name. */
export type MetricOf<Name extends string = MetricName> = (metricName: Name, statistic: string) => Metric;

/** The metrics that a worker itself measures, or undefined for one that measures none. */
export function measuredBy(lambda: Lambda, name: string): MetricOf | undefined {
  const own = measured[name]?.dimensions;
  if (!own) return undefined;
  const dimensionsMap = { service: lambda.functionName, ...own };
  return (metricName, statistic) => new Metric({ namespace: metricNamespace, metricName, statistic, dimensionsMap });
}

const unreadableRequests = (metric: MetricOf): Record<string, AlarmSettings> => ({
  Unreadable: {
    metric: metric('unreadableRequests', Stats.SUM),
    threshold: 0,
    description: 'A line of the log should be a request and cannot be read: it is in no request log',
  },
});

const refusedMails = (metric: MetricOf): Record<string, AlarmSettings> => ({
  Refused: {
    metric: metric('mailsRefused', Stats.SUM),
    threshold: 0,
    description:
      'SES refuses mail for what is wrong with this deployment or its account, and takes none until that is mended',
  },
});

const filesPutOff = (metric: MetricOf): Record<string, AlarmSettings> => ({
  PutOff: {
    metric: metric('filesPutOff', Stats.SUM),
    threshold: 0,
    description: 'A workspace was sent more bytes of files than a day takes: what is beyond waits for the next one',
  },
});

const unsentLinks = (metric: MetricOf): Record<string, AlarmSettings> => ({
  Unsent: {
    metric: metric('signInsUnsent', Stats.SUM),
    threshold: 0,
    description: 'A member asked for a link to sign in with, and the deployment has no sender address to mail it from',
  },
});

const sweeps = (metric: MetricOf): Record<string, AlarmSettings> => ({
  Overdue: {
    metric: metric('overdueRows', Stats.MAXIMUM),
    threshold: 100,
    description:
      'More than 100 rows were sent again in vain: jobs or deliveries are not being worked on, or the sweeper fails',
    whenMissing: 'rings',
  },
  Unpublished: {
    metric: metric('unpublishedRows', Stats.MAXIMUM),
    threshold: 100,
    description: 'More than 100 changes had no event in the feed yet, or the sweeper fails',
    whenMissing: 'rings',
  },
  DeadLetters: {
    metric: metric('deadRows', Stats.MAXIMUM),
    threshold: 0,
    description: 'A row failed again and again for a reason of its own and is a dead letter',
  },
});

const deliveries = (metric: MetricOf): Record<string, AlarmSettings> => ({
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
    description: 'More than 10 times in a minute the breaker of an endpoint opened, which fails again and again',
  },
});

/** Metrics of a worker: their dimensions and their alarms. */
interface Measured {
  dimensions: Record<string, string>;
  alarms: (metric: MetricOf) => Record<string, AlarmSettings>;
}

/** By the name of a worker. */
const measured: Record<string, Measured> = {
  'workers-sweep': { dimensions: sweepDimensions, alarms: sweeps },
  'workers-keep-requests': { dimensions: requestLogDimensions, alarms: unreadableRequests },
  'workers-send-sign-ins': { dimensions: signInDimensions, alarms: unsentLinks },
  'workers-store-attachments': { dimensions: fileDimensions, alarms: filesPutOff },
  'workers-send-email': { dimensions: mailDimensions, alarms: refusedMails },
  'workers-deliver': { dimensions: dimensionsOf('deliveries'), alarms: deliveries },
  'workers-deliver-slow': { dimensions: dimensionsOf('slow-deliveries'), alarms: deliveries },
};
