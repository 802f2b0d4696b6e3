/** CloudWatch's units that are used here. */
export const MetricUnit = { Count: 'Count', Milliseconds: 'Milliseconds', Seconds: 'Seconds' } as const;

interface Measurement {
  unit: keyof typeof MetricUnit;
  /** Several values make percentiles. */
  value: number | readonly number[];
}

/**
 * Writes numbers to CloudWatch under one set of dimensions: a log line in the embedded metric format, of which AWS makes the
 * metrics. POWERTOOLS_METRICS_DISABLED silences it, as it does the library of that name, which would be 10 KB of every function.
 */
export function measure(dimensions: Record<string, string>, values: Record<string, Measurement>): void {
  if (process.env['POWERTOOLS_METRICS_DISABLED'] === 'true') return;
  const all = { service: process.env['AWS_LAMBDA_FUNCTION_NAME'] ?? 'crm-api', ...dimensions };
  const Metrics = Object.entries(values).map(([Name, { unit }]) => ({ Name, Unit: unit }));
  const directive = { Namespace: 'CrmApi', Dimensions: [Object.keys(all)], Metrics };
  const numbers = Object.fromEntries(Object.entries(values).map(([name, { value }]) => [name, value]));
  const line = { _aws: { Timestamp: Date.now(), CloudWatchMetrics: [directive] }, ...all, ...numbers };
  // Lambda's own console puts a time and an id before the line, and CloudWatch then takes no metrics from it.
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
