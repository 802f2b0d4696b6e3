import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildApp } from '#infra/app.ts';
import { loadRoutes, loadWorkers } from '#infra/functions.ts';
import { assumed, monthSeconds } from './assumed.ts';
import { readMeasured } from './measured.ts';
import { ofTable, prices } from './prices.ts';

/** What a deployment costs in a month in which nobody calls it: dollars by service, with what there is of each. */
export type Idle = readonly { service: string; what: string; dollars: number }[];

interface Resource {
  Type: string;
  Properties: { Metrics?: { MetricStat?: unknown }[] } & Record<string, unknown>;
}

/** Reads it from the templates, which are made for it without the code of the functions. */
export async function idleMonth(): Promise<Idle> {
  const resources = await synthesised();
  const count = (type: string) => resources.filter(({ Type }) => Type === type).length;
  const alarmed = resources
    .filter(({ Type }) => Type === 'AWS::CloudWatch::Alarm')
    .reduce((sum, { Properties }) => sum + (Properties.Metrics?.filter((one) => one.MetricStat).length ?? 1), 0);
  const polled = resources.filter(
    ({ Type, Properties }) => Type === 'AWS::Lambda::EventSourceMapping' && 'ScalingConfig' in Properties,
  ).length;
  const polls = (polled * assumed.pollers * monthSeconds) / assumed.longPollSeconds;
  const { invocations, memoryMb, ms, metrics, logBytes } = assumed.sweep;
  const minute = readMeasured()['idle-minute'];
  const seconds = (invocations * ms) / 1000;
  const sweeps =
    (invocations * (prices.invocations + (minute ? ofTable(minute) : 0))) / 1e6 +
    seconds * (memoryMb / 1024) * prices.gbSecond;
  return [
    {
      service: 'CloudWatch',
      what: `${alarmed} metrics of ${count('AWS::CloudWatch::Alarm')} alarms`,
      dollars: alarmed * prices.alarmedMetric,
    },
    {
      service: 'CloudWatch',
      what: `${count('AWS::CloudWatch::Dashboard')} dashboard`,
      dollars: count('AWS::CloudWatch::Dashboard') * prices.dashboard,
    },
    { service: 'CloudWatch', what: `${metrics} metrics of the sweeper`, dollars: metrics * prices.metric },
    {
      service: 'CloudWatch Logs',
      what: 'what the sweeper logs',
      dollars: (invocations * logBytes * prices.logs) / 1e9,
    },
    { service: 'SQS', what: `long polls of ${polled} queues by Lambda`, dollars: (polls * prices.sqsRequests) / 1e6 },
    {
      service: 'KMS',
      what: `${count('AWS::KMS::Key')} key, in its first year`,
      dollars: count('AWS::KMS::Key') * prices.key,
    },
    { service: 'Lambda, DynamoDB', what: 'a sweep every minute', dollars: sweeps },
  ];
}

async function synthesised(): Promise<Resource[]> {
  const folder = await mkdtemp(join(tmpdir(), 'crm-capacity-'));
  try {
    const [routes, workers] = await Promise.all([loadRoutes(), loadWorkers()]);
    const [bundles, outdir] = [join(folder, 'dist'), join(folder, 'cdk.out')];
    await Promise.all(
      [...routes, ...workers].map(async ({ name }) => {
        await mkdir(join(bundles, name), { recursive: true });
        await writeFile(join(bundles, name, 'index.mjs'), '');
      }),
    );
    buildApp({ routes, workers, bundles, context: {}, outdir }).synth();
    const files = (await readdir(outdir)).filter((file) => file.endsWith('.template.json'));
    const templates = await Promise.all(files.map((file) => readFile(join(outdir, file), 'utf8')));
    return templates.flatMap((text) => Object.values(JSON.parse(text).Resources as Record<string, Resource>));
  } finally {
    await rm(folder, { recursive: true });
  }
}
