import { logMatcher } from '#infra/local/mappings/log-pattern.ts';
import { resourceFinder } from '#infra/local/template.ts';

/** A value that CloudWatch was given. */
export interface DataPoint {
  namespace: string;
  name: string;
  dimensions: Readonly<Record<string, string>>;
  unit: string;
  value: number;
  atMs: number;
}

interface Directive {
  Namespace: string;
  Dimensions: string[][];
  Metrics: { Name: string; Unit: string }[];
}

/**
 * What CloudWatch Logs makes of a line in the embedded metric format; nothing of any other. The whole line has to be the JSON. Raises
 * what the specification forbids: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function dataPointsOf(line: string): DataPoint[] {
  if (!line.startsWith('{') || !line.includes('"CloudWatchMetrics"')) return [];
  const { _aws, ...members } = JSON.parse(line) as {
    _aws: { Timestamp: number; CloudWatchMetrics: Directive[] };
    [member: string]: unknown;
  };
  return _aws.CloudWatchMetrics.flatMap(({ Namespace: namespace, Dimensions, Metrics }) =>
    Dimensions.flatMap((names) => {
      if (names.length > 30) throw new Error(`more than 30 dimensions: ${line}`);
      const dimensions = Object.fromEntries(names.map((name) => [name, textIn(members, name)]));
      return Metrics.flatMap(({ Name: name, Unit: unit }) => {
        const values = [members[name]].flat();
        if (values.length > 100) throw new Error(`more than 100 values of ${name}: ${line}`);
        return values.map((value): DataPoint => {
          if (typeof value !== 'number') throw new Error(`${name} is no number: ${line}`);
          return { namespace, name, dimensions, unit, value, atMs: _aws.Timestamp };
        });
      });
    }),
  );
}

function textIn(members: Record<string, unknown>, name: string): string {
  const value = members[name];
  if (typeof value !== 'string' || value === '') throw new Error(`the dimension ${name} has no text`);
  return value;
}

/** AWS::Logs::MetricFilter, resolved. */
export interface MetricFilter {
  FilterPattern: string;
  LogGroupName: string;
  MetricTransformations: { MetricNamespace: string; MetricName: string; MetricValue: string; Unit?: string }[];
}

/** What a metric filter makes of a line of its log group. */
export function filtered({ FilterPattern, MetricTransformations }: MetricFilter, line: string): DataPoint[] {
  if (!logMatcher(FilterPattern)(line)) return [];
  const atMs = Date.parse((JSON.parse(line) as { time: string }).time);
  return MetricTransformations.map(({ MetricNamespace: namespace, MetricName: name, MetricValue, Unit = 'None' }) => ({
    namespace,
    name,
    dimensions: {},
    unit: Unit,
    value: Number(MetricValue),
    atMs,
  }));
}

interface MetricIdentity {
  Namespace: string;
  MetricName: string;
  Dimensions?: { Name: string; Value: string }[];
}

interface MetricDataQuery {
  Id: string;
  Expression?: string;
  ReturnData?: boolean;
  MetricStat?: { Metric: MetricIdentity; Period: number; Stat: string };
}

/** AWS::CloudWatch::Alarm, resolved. */
export interface AlarmProperties extends Partial<MetricIdentity> {
  Metrics?: MetricDataQuery[];
  Period?: number;
  Statistic?: string;
  ExtendedStatistic?: string;
  EvaluationPeriods: number;
  DatapointsToAlarm?: number;
  Threshold: number;
  ComparisonOperator: string;
  TreatMissingData?: string;
  ActionsEnabled?: boolean;
  AlarmActions?: string[];
  AlarmDescription?: string;
}

export interface Watched extends MetricIdentity {
  statistic: string;
  periodSeconds: number;
}

/** The metrics that an alarm looks at, those of its expression by their id. */
export function watchedBy(alarm: AlarmProperties): [id: string, metric: Watched][] {
  const { Namespace, MetricName, Dimensions, Period, Statistic, ExtendedStatistic, Metrics } = alarm;
  if (Metrics)
    return Metrics.flatMap(({ Id, MetricStat }) =>
      MetricStat ? [[Id, { ...MetricStat.Metric, statistic: MetricStat.Stat, periodSeconds: MetricStat.Period }]] : [],
    );
  const identity = { Namespace: String(Namespace), MetricName: String(MetricName), ...(Dimensions && { Dimensions }) };
  return [['m', { ...identity, statistic: String(Statistic ?? ExtendedStatistic), periodSeconds: Number(Period) }]];
}

/** Whether a point is one of a metric: dimensions are part of its name, so no more and no fewer of them. */
export function isOf({ Namespace, MetricName, Dimensions = [] }: MetricIdentity, point: DataPoint): boolean {
  return (
    point.namespace === Namespace &&
    point.name === MetricName &&
    Object.keys(point.dimensions).length === Dimensions.length &&
    Dimensions.every(({ Name, Value }) => point.dimensions[Name] === Value)
  );
}

export type State = 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';

/**
 * The states of an alarm at the end of each of its periods from one time to another, by what CloudWatch was given:
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/alarm-evaluation.html
 */
export function statesOf(alarm: AlarmProperties, points: readonly DataPoint[], fromMs: number, toMs: number): State[] {
  const [[, { periodSeconds }] = ['', { periodSeconds: 60 }]] = watchedBy(alarm);
  const periodMs = periodSeconds * 1000;
  const { EvaluationPeriods, DatapointsToAlarm = EvaluationPeriods, TreatMissingData = 'missing' } = alarm;
  const states: State[] = [];
  const first = Math.floor(fromMs / periodMs);
  for (let last = first; last <= Math.floor(toMs / periodMs); last += 1) {
    const values = Array.from({ length: EvaluationPeriods }, (_, back) =>
      valueIn(alarm, points, last - back, periodMs),
    );
    const breaching = values.map((value) =>
      value === undefined ? TreatMissingData === 'breaching' : isBreaching(alarm, value),
    );
    const isUnknown = TreatMissingData === 'missing' && values.every((value) => value === undefined);
    const ringing = breaching.filter(Boolean).length >= DatapointsToAlarm;
    states.push(isUnknown ? 'INSUFFICIENT_DATA' : ringing ? 'ALARM' : 'OK');
  }
  return states;
}

function isBreaching({ ComparisonOperator, Threshold }: AlarmProperties, value: number): boolean {
  if (ComparisonOperator === 'GreaterThanThreshold') return value > Threshold;
  if (ComparisonOperator === 'GreaterThanOrEqualToThreshold') return value >= Threshold;
  if (ComparisonOperator === 'LessThanThreshold') return value < Threshold;
  if (ComparisonOperator === 'LessThanOrEqualToThreshold') return value <= Threshold;
  throw new Error(`${ComparisonOperator} is not known here`);
}

/** What is compared with the threshold in one period; undefined where it is missing. */
function valueIn(alarm: AlarmProperties, points: readonly DataPoint[], index: number, periodMs: number) {
  const inPeriod = points.filter(({ atMs }) => Math.floor(atMs / periodMs) === index);
  const values = watchedBy(alarm).map(([id, metric]) => {
    const own = inPeriod.filter((point) => isOf(metric, point)).map(({ value }) => value);
    return [id, own.length === 0 ? undefined : statistic(metric.statistic, own)] as const;
  });
  const expression = alarm.Metrics?.find(({ Expression, ReturnData = true }) => Expression && ReturnData)?.Expression;
  if (expression === undefined) return values[0]?.[1];
  // A time at which one of the metrics has no value is none of the expression's.
  if (values.some(([, value]) => value === undefined)) return undefined;
  return calculated(expression, values as readonly (readonly [string, number])[]);
}

function statistic(name: string, values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const sum = values.reduce((total, value) => total + value, 0);
  if (name === 'Sum') return sum;
  if (name === 'Maximum') return sorted.at(-1) as number;
  if (name === 'Minimum') return sorted[0] as number;
  if (name === 'Average') return sum / values.length;
  if (name === 'SampleCount') return values.length;
  const percent = /^p(\d+(?:\.\d+)?)$/.exec(name)?.[1];
  if (percent === undefined) throw new Error(`the statistic ${name} is not known here`);
  return sorted[Math.max(0, Math.ceil((Number(percent) / 100) * sorted.length) - 1)] as number;
}

/** Metric math of numbers, comparisons and IF. */
function calculated(expression: string, values: readonly (readonly [string, number])[]): number {
  const names = values.map(([name]) => name);
  const known = expression.replaceAll(/\bIF\(/g, 'choose(');
  const unknown = known.match(/[A-Za-z_]\w*/g)?.find((word) => word !== 'choose' && !names.includes(word));
  if (unknown !== undefined) throw new Error(`${unknown} of ${expression} is not known here`);
  const choose = (condition: boolean, yes: number, no: number) => (condition ? yes : no);
  return new Function('choose', ...names, `return ${known}`)(choose, ...values.map(([, value]) => value));
}

/** As the local cloud names its resources. */
const home = { region: 'us-east-1', accountId: '000000000000', sqsUrl: '', apiUrl: '', keyId: '' };

/** Returns the alarms of a cloud assembly by their names in the templates, and a finder of its resources. */
export function readAlarms(assembly: string) {
  const of = resourceFinder(assembly, home);
  const alarms = of('AWS::CloudWatch::Alarm').map(
    ({ id, properties }) => [id.replace(/[0-9A-F]{8}$/, ''), properties as unknown as AlarmProperties] as const,
  );
  return { of, alarms: new Map(alarms) };
}

/** The alarms that test/infra/alarms.full.test.ts sets off. */
export const setOff = [
  ...['WorkersDeliver', 'WorkersDeliverSlow'].flatMap((lane) =>
    ['Latency', 'Failing', 'Breakers'].map((name) => `${lane}${name}`),
  ),
  'WorkersErrors',
  'EventBus',
  'WorkersSweepOverdue',
  'WorkersSweepUnpublished',
  'WorkersSweepDeadLetters',
  'WorkersKeepRequestsUnreadable',
  'WorkersSendSignInsUnsent',
  'WorkersSendEmailRefused',
  'WorkersStoreAttachmentsPutOff',
];
