import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { measure } from '#lib/core/metrics.ts';
import { newDeliveryMetrics, report } from '#lib/webhooks/delivery-metrics.ts';

let lines: string[];

beforeEach(() => {
  lines = [];
  vi.stubEnv('POWERTOOLS_METRICS_DISABLED', '');
  vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', 'CrmApi-WorkersDeliver');
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const written = () => lines.map((line) => JSON.parse(line));

/** What CloudWatch would read: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html */
function valuesOf(name: string): number[] {
  return written().flatMap((line) => {
    const [directive] = line._aws.CloudWatchMetrics;
    const isDeclared = directive.Metrics.some((metric: { Name: string }) => metric.Name === name);
    return isDeclared ? line[name] : [];
  });
}

test('a measurement is one line of the embedded metric format with its metrics as members', () => {
  measure({ worker: 'sweep' }, { overdueRows: 3, deliveryLatency: [1, 2], deadRows: undefined });
  const [line] = written();
  expect(lines).toEqual([`${JSON.stringify(line)}\n`]);
  expect(line).toEqual({
    _aws: {
      Timestamp: expect.any(Number),
      CloudWatchMetrics: [
        {
          Namespace: 'CrmApi',
          Dimensions: [['service', 'worker']],
          Metrics: [
            { Name: 'overdueRows', Unit: 'Count' },
            { Name: 'deliveryLatency', Unit: 'Milliseconds' },
          ],
        },
      ],
    },
    service: 'CrmApi-WorkersDeliver',
    worker: 'sweep',
    overdueRows: 3,
    deliveryLatency: [1, 2],
  });
});

test('a report counts deliveries once and keeps every latency over several lines', () => {
  const latenciesMs = Array.from({ length: 250 }, (_, index) => index);
  report('deliveries', [
    {
      ...newDeliveryMetrics(),
      attempts: 300,
      successes: 250,
      breakerOpenings: 1,
      latenciesMs: latenciesMs.slice(0, 120),
    },
    { ...newDeliveryMetrics(), attempts: 5, latenciesMs: latenciesMs.slice(120) },
  ]);
  expect(lines).toHaveLength(3);
  for (const line of written()) expect(line.deliveryLatency.length).toBeLessThanOrEqual(100);
  expect(valuesOf('deliveryLatency')).toEqual(latenciesMs);
  expect(valuesOf('deliveryAttempts')).toEqual([305]);
  expect(valuesOf('deliverySuccesses')).toEqual([250]);
  expect(valuesOf('deliveryFailures')).toEqual([55]);
  expect(valuesOf('breakerOpenings')).toEqual([1]);
});

test('a worker that attempted nothing measures nothing', () => {
  report('slow-deliveries', [newDeliveryMetrics()]);
  expect(lines).toEqual([]);
});
