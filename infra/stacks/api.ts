import { Annotations, CfnOutput, CrossStackReferences, ReferenceStrength, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { RouteFunction, WorkerFunction } from '#infra/functions.ts';
import { pascalCase } from '#infra/names.ts';
import type { DeploymentSettings } from '#infra/settings.ts';
import { noSender } from '#lib/email/sender.ts';
import { Alarms } from './alarms.ts';
import { watchConcurrency } from './concurrency.ts';
import { createDashboard } from './dashboard.ts';
import { type DataStack, referencesTo } from './data.ts';
import { createEndpoints } from './endpoints.ts';
import { watchFailures } from './failures.ts';
import { createLog } from './functions.ts';
import { createHttpApi } from './http-api.ts';
import { createMailBucket, createMailEvents, watchReputation } from './mail.ts';
import { watchBus } from './metrics.ts';
import { createQueues } from './queues.ts';
import { createSchedules } from './schedules.ts';
import { watchSpending } from './spending.ts';
import { createWorkers } from './workers.ts';

export interface ApiSettings {
  data: DataStack;
  routes: readonly RouteFunction[];
  workers: readonly WorkerFunction[];
  /** The folder that holds one folder per function. */
  bundles: string;
  /** Operator settings, as environment variables of every function. */
  environment: Record<string, string>;
  deployment: DeploymentSettings;
  tags: Record<string, string>;
}

/** Stack of everything that a deployment may replace: functions, queues, schedules, the HTTP API, alarms, and the dashboard. */
export class ApiStack extends Stack {
  constructor(scope: Construct, id: string, settings: ApiSettings) {
    const description = 'CRM API: functions, queues and the HTTP API';
    // Settings of operators are repeated in every function, and CloudFormation takes at most a megabyte.
    super(scope, id, { description, suppressTemplateIndentation: true, tags: settings.tags });
    // An export that something imports can be neither changed nor removed.
    CrossStackReferences.of(this).consume(ReferenceStrength.WEAK);
    const { data, routes, workers, bundles, environment } = settings;
    const { alarmEmail, mailDomain, mailFrom, accountConcurrency, slowConcurrency, eventBus } = settings.deployment;
    const { telegramApiHashParameter, tracing } = settings.deployment;
    const { tableName, tableStreamArn } = settings.deployment;
    const restored = tableName && tableStreamArn ? { tableName, tableStreamArn } : undefined;
    const { table, key, files } = referencesTo(data, this, restored);
    if (!mailFrom) Annotations.of(this).addWarningV2('crm-api:mail-not-configured', noSender);
    const alarms = new Alarms(this, alarmEmail);
    const queues = createQueues(this, workers, alarms);
    const schedules = createSchedules(this, queues, alarms);
    const mailBucket = workers.some(readsMail)
      ? createMailBucket(this, mailDomain, queues['incoming-mail'])
      : undefined;
    const mailEvents = mailFrom ? createMailEvents(this, queues['mail-notices']) : undefined;
    const mail = { mailBucket, mailEvents, mailFrom, mailDomain };
    const resources = {
      table,
      key,
      files,
      queues,
      schedules,
      eventBus,
      telegramApiHashParameter,
      isTraced: tracing === 'active',
      ...mail,
    };
    const logs = { endpoint: createLog(this, 'Api'), worker: createLog(this, 'Workers') };
    const concurrency = { accountConcurrency, slowConcurrency };
    const deployment = { stack: this, resources, environment, bundles, alarms, logs, ...concurrency };
    watchFailures(this, alarms, logs.worker);
    watchConcurrency(this, alarms, workers, accountConcurrency);
    watchSpending(this, alarms, table, settings.deployment);
    if (eventBus !== undefined) watchBus(this, alarms, table.tableName);
    if (mailFrom) watchReputation(this, alarms);
    const http = createHttpApi(this, createEndpoints(deployment, routes), alarms, settings.deployment);
    createDashboard(this, { http, queues, workers: createWorkers(deployment, workers), alarms });
    new CfnOutput(this, 'TableName', { value: table.tableName });
    // The operator's commands need the environment of the functions (infra/admin/stack.ts).
    for (const [name, value] of Object.entries(environment))
      new CfnOutput(this, pascalCase(name.toLowerCase().replaceAll('_', '-')), { value });
    if (mailFrom !== undefined) new CfnOutput(this, 'MailFrom', { value: mailFrom });
    if (telegramApiHashParameter !== undefined)
      new CfnOutput(this, 'TelegramApiHashParameter', { value: telegramApiHashParameter });
    new CfnOutput(this, 'KmsKeyId', { value: key.keyId });
    new CfnOutput(this, 'FilesBucket', { value: files.bucketName });
    new CfnOutput(this, 'AllowUnsignedImports', { value: settings.deployment.allowUnsignedImports });
  }
}

const readsMail = ({ worker }: WorkerFunction) => worker.needs?.includes('mail-bucket') ?? false;
