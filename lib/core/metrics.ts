import { now } from '#lib/core/clock.ts';
import { isQuiet } from '#lib/core/log.ts';

export const metricNamespace = 'CrmApi';

/** Every metric, with its unit in CloudWatch. */
const units = {
  deliveryAttempts: 'Count',
  deliverySuccesses: 'Count',
  deliveryFailures: 'Count',
  /** From the commit of a change to the 2xx of the endpoint. */
  deliveryLatency: 'Milliseconds',
  breakerOpenings: 'Count',
  overdueRows: 'Count',
  unpublishedRows: 'Count',
  deadRows: 'Count',
  unreadableRows: 'Count',
  /** Lines of the log that should be requests, and are in no request log. */
  unreadableRequests: 'Count',
  /** Calls of the operator's event bus in vain: what they held waits. */
  busFailures: 'Count',
  /** Links to sign in with that could not be mailed, because the deployment has no sender address. */
  signInsUnsent: 'Count',
  /** Mails that SES takes from nobody of this deployment. */
  mailsRefused: 'Count',
  /** Platform updates that cannot be read or stored: they are confirmed and do not come again. */
  updatesRefused: 'Count',
  /** Files that were sent beyond what a day takes: they wait for the next one. */
  filesPutOff: 'Count',
} as const;

export type MetricName = keyof typeof units;

/** Several values make percentiles. */
type Value = number | readonly number[];
/** Values by metric; an undefined one is not measured. */
type Values = { readonly [Name in MetricName]?: Value | undefined };

/** CloudWatch takes no more values of one metric from one line. */
const maxValues = 100;

/**
 * Writes numbers to CloudWatch under one set of dimensions: log lines in the embedded metric format, of which AWS makes the
 * metrics. POWERTOOLS_METRICS_DISABLED silences it, as it does the library of that name, which would be 10 KB of every function.
 */
export function measure(dimensions: Record<string, string>, values: Values): void {
  if (process.env['POWERTOOLS_METRICS_DISABLED'] === 'true') return;
  const all = { service: process.env['AWS_LAMBDA_FUNCTION_NAME'] ?? 'crm-api', ...dimensions };
  const [line, rest] = split(values);
  const Metrics = (Object.keys(line) as MetricName[]).map((Name) => ({ Name, Unit: units[Name] }));
  const directive = { Namespace: metricNamespace, Dimensions: [Object.keys(all)], Metrics };
  const text = JSON.stringify({ _aws: { Timestamp: now(), CloudWatchMetrics: [directive] }, ...all, ...line });
  // Lambda's own console puts a time and an id before the line, and CloudWatch then takes no metrics from it.
  if (!isQuiet()) process.stdout.write(`${text}\n`);
  if (Object.keys(rest).length > 0) measure(dimensions, rest);
}

/** Returns the values that fit into one line, and the rest of the metrics that have more. */
function split(values: Values): [line: Values, rest: Values] {
  const line: Record<string, Value> = {};
  const rest: Record<string, Value> = {};
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    line[name] = typeof value === 'number' ? value : value.slice(0, maxValues);
    if (typeof value !== 'number' && value.length > maxValues) rest[name] = value.slice(maxValues);
  }
  return [line, rest];
}
