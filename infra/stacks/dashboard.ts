import { CfnOutput, Duration, type Stack } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  Stats,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Function as Lambda } from 'aws-cdk-lib/aws-lambda';
import type { Alarms } from './alarms.ts';
import type { HttpMetric } from './http-api.ts';
import { type MetricOf, measuredBy } from './metrics.ts';
import type { Queues } from './queues.ts';
import type { Workers } from './workers.ts';

interface Shown {
  http: MetricOf<HttpMetric>;
  queues: Queues;
  workers: Workers;
  alarms: Alarms;
}

const columns = 24;
const percentiles = [50, 95, 99];
const period = Duration.minutes(1);

/** Creates the dashboard that an operator looks at first: alarms, API, deliveries, queues, and overdue timers. */
export function createDashboard(stack: Stack, { http, queues, workers, alarms }: Shown): void {
  const dashboard = new Dashboard(alarms.monitoring, 'Dashboard', { defaultInterval: Duration.hours(3) });
  const metricsOf = (name: string) => measuredBy(workers.get(name) as Lambda, name) as MetricOf;
  const sweep = metricsOf('workers-sweep');
  const ages = Object.entries(queues).map(([label, queue]) =>
    queue.metricApproximateAgeOfOldestMessage({ label, period }),
  );
  const failures = [...workers].map(([label, worker]) => worker.metricErrors({ label, period }));
  dashboard.addWidgets(
    new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms.all], width: columns, height: 8 }),
    graph('Requests and errors', 3, [
      http('Count', Stats.SUM).with({ label: 'requests' }),
      http('4xx', Stats.SUM),
      http('5xx', Stats.SUM),
    ]),
    graph('Latency of the API, ms', 3, ofPercentiles(http, 'Latency')),
    graph('Rows overdue, changes without an event, dead letters', 3, [
      sweep('overdueRows', Stats.MAXIMUM),
      sweep('unpublishedRows', Stats.MAXIMUM),
      sweep('deadRows', Stats.MAXIMUM),
    ]),
    ...lane('Webhooks', metricsOf('workers-deliver')),
    ...lane('Webhooks to slow endpoints', metricsOf('workers-deliver-slow')),
    graph('Failed invocations of each worker', 1, failures),
    graph('Age of the oldest message of each queue, s', 1, ages),
  );
  new CfnOutput(stack, 'DashboardName', { value: dashboard.dashboardName });
}

const lane = (title: string, metric: MetricOf): GraphWidget[] => [
  graph(`${title}: attempts and breaker openings`, 3, [
    metric('deliveryAttempts', Stats.SUM),
    metric('breakerOpenings', Stats.SUM),
  ]),
  graph(`${title}: successful attempts, %`, 3, [
    new MathExpression({
      expression: '100 * successes / attempts',
      label: 'success rate',
      usingMetrics: {
        attempts: metric('deliveryAttempts', Stats.SUM),
        successes: metric('deliverySuccesses', Stats.SUM),
      },
    }),
  ]),
  graph(`${title}: from commit to 2xx, ms`, 3, ofPercentiles(metric, 'deliveryLatency')),
];

const ofPercentiles = <Name extends string>(metric: MetricOf<Name>, name: Name): IMetric[] =>
  percentiles.map((percent) => metric(name, Stats.p(percent)).with({ label: `p${percent}` }));

/** One of so many that stand side by side. */
const graph = (title: string, inARow: number, left: IMetric[]) =>
  new GraphWidget({ title, left, period, width: columns / inARow, leftYAxis: { min: 0 } });
