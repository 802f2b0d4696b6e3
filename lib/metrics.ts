/** CloudWatch's units that are used here. */
export const MetricUnit = { Count: 'Count', Milliseconds: 'Milliseconds', Seconds: 'Seconds' } as const;

interface Measurement {
  unit: keyof typeof MetricUnit;
  /** Several values make percentiles. */
  value: number | readonly number[];
}

/** CloudWatch takes no more values of one metric from one line. */
const maxValues = 100;

/**
 * Writes numbers to CloudWatch under one set of dimensions: log lines in the embedded metric format, of which AWS makes the
 * metrics. POWERTOOLS_METRICS_DISABLED silences it, as it does the library of that name, which would be 10 KB of every function.
 */
export function measure(dimensions: Record<string, string>, values: Record<string, Measurement>): void {
  if (process.env['POWERTOOLS_METRICS_DISABLED'] === 'true') return;
  const all = { service: process.env['AWS_LAMBDA_FUNCTION_NAME'] ?? 'crm-api', ...dimensions };
  const [line, rest] = split(values);
  const Metrics = Object.entries(line).map(([Name, { unit }]) => ({ Name, Unit: unit }));
  const directive = { Namespace: 'CrmApi', Dimensions: [Object.keys(all)], Metrics };
  const numbers = Object.fromEntries(Object.entries(line).map(([name, { value }]) => [name, value]));
  const text = JSON.stringify({ _aws: { Timestamp: Date.now(), CloudWatchMetrics: [directive] }, ...all, ...numbers });
  // Lambda's own console puts a time and an id before the line, and CloudWatch then takes no metrics from it.
  process.stdout.write(`${text}\n`);
  if (Object.keys(rest).length > 0) measure(dimensions, rest);
}

/** What fits into one line, and what is left of the metrics that have more values. */
function split(values: Record<string, Measurement>): [Record<string, Measurement>, Record<string, Measurement>] {
  const line: Record<string, Measurement> = {};
  const rest: Record<string, Measurement> = {};
  for (const [name, { unit, value }] of Object.entries(values)) {
    line[name] = { unit, value: typeof value === 'number' ? value : value.slice(0, maxValues) };
    if (typeof value !== 'number' && value.length > maxValues) rest[name] = { unit, value: value.slice(maxValues) };
  }
  return [line, rest];
}
