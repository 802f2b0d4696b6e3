import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';

export { MetricUnit };

let metrics: Metrics | undefined;

/** Writes numbers to CloudWatch in the embedded metric format, under one set of dimensions. Several values make percentiles. */
export function measure(
  dimensions: Record<string, string>,
  values: Record<string, { unit: (typeof MetricUnit)[keyof typeof MetricUnit]; value: number | readonly number[] }>,
): void {
  metrics ??= new Metrics({ namespace: 'CrmApi', serviceName: process.env['AWS_LAMBDA_FUNCTION_NAME'] ?? 'crm-api' });
  metrics.addDimensions(dimensions);
  for (const [name, { unit, value }] of Object.entries(values)) {
    for (const one of typeof value === 'number' ? [value] : value) metrics.addMetric(name, unit, one);
  }
  metrics.publishStoredMetrics();
}
