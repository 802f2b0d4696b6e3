import { Annotations, CfnOutput, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { RouteFunction, WorkerFunction } from '#infra/functions.ts';
import { noSender } from '#lib/email/sender.ts';
import { defaultTimeoutSeconds } from '#lib/timeouts.ts';
import { Alarms } from './alarms.ts';
import { watchConcurrency } from './concurrency.ts';
import { createDashboard } from './dashboard.ts';
import type { DataStack } from './data.ts';
import { createFunctions, createLog, type Deployment, type FunctionSettings } from './functions.ts';
import { createHttpApi, type Endpoint } from './http-api.ts';
import { createMailBucket, createMailEvents } from './mail.ts';
import { watchBus } from './metrics.ts';
import { createQueues } from './queues.ts';
import { createSchedules } from './schedules.ts';
import { type SpendingLimits, watchSpending } from './spending.ts';
import { createWorkers } from './workers.ts';

export interface ApiSettings {
  data: DataStack;
  routes: readonly RouteFunction[];
  workers: readonly WorkerFunction[];
  /** The folder that holds one folder per function. */
  bundles: string;
  /** Operator settings, as environment variables of every function. */
  environment: Record<string, string>;
  alarmEmail: string | undefined;
  /** How many invocations AWS lets the account run at once. */
  accountConcurrency: number;
  /** Of all callers together. */
  requestsPerSecond: number;
  limits: SpendingLimits;
  mailDomain: string | undefined;
  mailFrom: string | undefined;
  eventBus: string | undefined;
}

/** What a deployment may replace: functions, queues, schedules, the HTTP API, the alarms and the dashboard. */
export class ApiStack extends Stack {
  constructor(scope: Construct, id: string, settings: ApiSettings) {
    super(scope, id, { description: 'CRM API: functions, queues and the HTTP API' });
    const { data, routes, workers, bundles, environment, alarmEmail, mailDomain, mailFrom } = settings;
    const { accountConcurrency, requestsPerSecond, limits, eventBus } = settings;
    if (!mailFrom) Annotations.of(this).addWarningV2('crm-api:mail-not-configured', noSender);
    const alarms = new Alarms(this, alarmEmail);
    const queues = createQueues(this, workers, alarms);
    const schedules = createSchedules(this, queues, alarms);
    const mailBucket = workers.some(readsMail)
      ? createMailBucket(this, mailDomain, queues['incoming-mail'])
      : undefined;
    const mailEvents = createMailEvents(this, queues['mail-notices']);
    const mail = { mailBucket, mailEvents, mailFrom, mailDomain };
    const resources = { table: data.table, key: data.key, files: data.files, queues, schedules, eventBus, ...mail };
    const apiLog = createLog(this, 'Api');
    const deployment = { stack: this, resources, environment, bundles, alarms, accountConcurrency, apiLog };
    watchConcurrency(this, alarms, workers, accountConcurrency);
    watchSpending(this, alarms, data.table, limits);
    if (eventBus !== undefined) watchBus(this, alarms);
    const http = createHttpApi(this, createEndpoints(deployment, routes), alarms, requestsPerSecond);
    createDashboard(this, { http, queues, workers: createWorkers(deployment, workers), alarms });
    new CfnOutput(this, 'TableName', { value: data.table.tableName });
    new CfnOutput(this, 'KmsKeyId', { value: data.key.keyId });
  }
}

const readsMail = ({ worker }: WorkerFunction) => worker.needs?.includes('mail-bucket') ?? false;

function createEndpoints(deployment: Deployment, routes: readonly RouteFunction[]): Endpoint[] {
  const domains = Map.groupBy(routes, ({ domain }) => domain);
  return [...domains].flatMap(([domain, functions]) => {
    const lambdas = createFunctions(deployment, domain, functions.map(endpointSettings), {
      log: deployment.apiLog,
    });
    return functions.flatMap(({ route }, index) => {
      const lambda = lambdas[index];
      return lambda ? [{ route, lambda }] : [];
    });
  });
}

const endpointSettings = ({ route, ...file }: RouteFunction): FunctionSettings => ({
  ...file,
  summary: route.summary,
  timeoutSeconds: route.timeoutSeconds ?? defaultTimeoutSeconds,
  memoryMb: route.memoryMb ?? 512,
});
