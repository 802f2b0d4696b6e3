import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { keepInUse } from './build.ts';
import { Contention } from './contention.ts';
import { dividedStream } from './engine/divided-stream.ts';
import { openStreams, shared } from './engine/stream-client.ts';
import { ensureTable } from './engine/table.ts';
import { startEngine } from './engine.ts';
import { startEvents } from './events.ts';
import type { Credentials } from './files.ts';
import { type FunctionLogs, openFunctionLogs } from './functions/log.ts';
import { type Invoke, startFunctions } from './functions.ts';
import type { HttpApi } from './http.ts';
import { leavesOf } from './iam/lambda.ts';
import { Iam } from './iam.ts';
import { startKms } from './kms.ts';
import { awsEvent } from './mappings/event.ts';
import { passes } from './mappings/filter.ts';
import { startSubscriptions } from './mappings/log.ts';
import type { StreamSource } from './mappings/stream.ts';
import { startMappings } from './mappings.ts';
import { nowhere } from './nowhere.ts';
import type { Limits } from './options.ts';
import { startS3 } from './s3.ts';
import { startScheduler } from './scheduler.ts';
import { type MailEvent, startSes } from './ses.ts';
import { type LocalSqs, startSqs } from './sqs.ts';
import { startSsm } from './ssm.ts';
import type { Home } from './template/identities.ts';
import { type Deployment, type QueueToRun, readDeployment, type TableToRun } from './template.ts';

export interface CloudSettings {
  dataDir: string;
  /** Where the services listen. */
  servicesHost: string;
  credentials: Credentials;
  api: HttpApi;
  dynamodbEndpoint: string | undefined;
  /** SecureStrings of SSM by their names. */
  parameters: Readonly<Record<string, string>>;
  isStrict: boolean;
  limits: Limits;
  /** Errors of functions, for people. */
  report(text: string): void;
  onEngineLost(error: Error): void;
}

export interface Cloud {
  /** Runs what this assembly's templates say, in place of what ran before. */
  deploy(assembly: string): Promise<Deployment>;
  /** Region, credentials and endpoints, with which the SDK finds this cloud, and what is open on this machine alone. */
  environment: Record<string, string>;
  /** Which DynamoDB it has. */
  engine: string;
  kill(functionName: string): Promise<void>;
  close(): Promise<void>;
}

export const home: Home = { accountId: '000000000000', region: 'us-east-1' };
const graceMs = 3000;

/** Starts the services that functions use. Functions and what invokes them start with the first `deploy`. */
export async function startCloud(settings: CloudSettings): Promise<Cloud> {
  const { dataDir, servicesHost, credentials, api, dynamodbEndpoint, parameters } = settings;
  const { isStrict, limits, report, onEngineLost } = settings;
  const inData = (name: string) => join(dataDir, name);
  const iam = new Iam({ home, owner: credentials, usage: process.env['PERMISSIONS_DIR'] ?? inData('permissions') });
  const guarded = { host: servicesHost, port: 0, accessKeyId: credentials.accessKeyId, iam };
  const sqs = await startSqs({ ...guarded, ...home });
  const [engine, scheduler, kms, ses, s3, ssm, events] = await Promise.all([
    startEngine({
      ...guarded,
      endpoint: dynamodbEndpoint,
      folder: inData('dynamodb'),
      contention: new Contention(limits),
      onGivenUp: onEngineLost,
    }),
    startScheduler({
      ...guarded,
      ...home,
      deliver: (queueArn, body, options, { roleArn, scheduleArn }) => {
        iam.requireOfRole(schedulerService, roleArn, 'sqs:SendMessage', queueArn, groupOf(scheduleArn));
        sqs.send(queueArn, body, options);
      },
      mayAssume: (roleArn, groupArn) => iam.mayService(schedulerService, 'sts:AssumeRole', roleArn, groupArn),
    }),
    startKms({ ...guarded, ...home, keyPath: inData('kms-key.json') }),
    startSes({ ...guarded, ...home, mailboxDir: inData('mail'), publish: (event) => publish(event) }),
    startS3({ host: servicesHost, port: 0, credentials, iam, region: home.region, folder: inData('s3') }),
    startSsm({ ...guarded, ...home, parameters }),
    startEvents({
      ...guarded,
      folder: inData('events'),
      busArn: (name) => `arn:aws:events:${home.region}:${home.accountId}:event-bus/${name}`,
      published: ({ source, ...stated }) => awsEvent(source, stated, home),
    }),
  ]);
  const sdk = { endpoint: engine.innerUrl, region: home.region, credentials };
  const [dynamodb, streams] = [new DynamoDBClient(sdk), shared(openStreams(sdk))];
  const tableStreams = new Map<string, StreamSource>();
  const places = {
    ...othersEndpoints(),
    WEBHOOK_LOOPBACK: 'allow',
    AWS_REGION: home.region,
    AWS_DEFAULT_REGION: home.region,
    AWS_ENDPOINT_URL_DYNAMODB: engine.url,
    AWS_ENDPOINT_URL_SQS: sqs.url,
    AWS_ENDPOINT_URL_SCHEDULER: scheduler.url,
    AWS_ENDPOINT_URL_KMS: kms.url,
    AWS_ENDPOINT_URL_SESV2: ses.url,
    AWS_ENDPOINT_URL_S3: s3.url,
    AWS_ENDPOINT_URL_SSM: ssm.url,
    AWS_ENDPOINT_URL_EVENTBRIDGE: events.url,
  };
  const environment = { ...places, ...variablesOf(credentials) };
  const logs: FunctionLogs = openFunctionLogs(inData('logs'), report);
  const functions = startFunctions({
    functions: [],
    runtimeEnvironment: { ...places, AWS_ENDPOINT_URL_DYNAMODB: engine.functionsUrl },
    // The SDK keeps credentials that do not end, and a thread runs several functions.
    credentialsOf: (name) => ({ ...variablesOf(iam.credentialsOf(name)), AWS_CREDENTIAL_EXPIRATION: alwaysAnew }),
    logs,
    isStrict,
    concurrentExecutions: limits.concurrentExecutions,
  });

  function addStream({ TableName, KeySchema }: TableToRun, streamArn: string): void {
    const { shardRecords } = limits;
    const partitionKey = String(KeySchema?.find(({ KeyType }) => KeyType === 'HASH')?.AttributeName);
    const isDivided = engine.hasPlainStreams && shardRecords < Number.POSITIVE_INFINITY;
    const client = isDivided ? dividedStream(streams, { streamArn, shardRecords, partitionKey }) : streams;
    tableStreams.set(String(TableName), { client, streamArn, region: home.region, changes: engine.changes });
  }
  const streamOf = (tableName: string) => {
    const source = tableStreams.get(tableName);
    if (!source) throw new Error(`the table ${tableName} has no stream`);
    return source;
  };
  let deployed: Deployment | undefined;

  /** What EventBridge does with an event: it goes to the targets of every rule that it matches. */
  function publish(event: MailEvent): void {
    const whole = awsEvent('aws.ses', event, home);
    for (const { arn, pattern, queueArns } of deployed?.eventRules ?? [])
      if (passes([pattern], whole))
        for (const queueArn of queueArns) {
          iam.requireOfService('events.amazonaws.com', 'sqs:SendMessage', queueArn, arn);
          sqs.send(queueArn, JSON.stringify(whole));
        }
  }
  const sendFor = (functionName: string) => (queueArn: string, body: string) => {
    iam.requireOf(functionName, 'sqs:SendMessage', queueArn);
    sqs.send(queueArn, body);
  };
  let stopMappings = async () => {};
  let release = () => {};

  return {
    environment,
    kill: functions.kill,
    async deploy(assembly) {
      const deployment = readDeployment(assembly, { ...home, sqsUrl: sqs.url, apiUrl: api.url, keyId: kms.keyId });
      iam.deploy(deployment);
      for (const table of deployment.tables) {
        const streamArn = await ensureTable(dynamodb, table);
        if (streamArn) addStream(table, streamArn);
      }
      for (const queue of deployment.queues) ensureQueue(sqs, queue);
      for (const name of deployment.scheduleGroups) {
        if (!deployed?.scheduleGroups.includes(name)) scheduler.createGroup(name);
      }
      ses.configure(deployment.mailConfigurations);
      s3.configure(deployment.buckets);
      functions.replace(deployment.functions);
      const leaves = leavesOf(iam, home, deployment);
      const invoke: Invoke = async (name, event) => {
        leaves.run(name);
        return functions.invoke(name, event);
      };
      if (!deployed || !isDeepStrictEqual(invokersOf(deployment), invokersOf(deployed))) {
        await stopMappings();
        const stops = [
          startMappings({
            ...home,
            deployment,
            invoke,
            requireRule: leaves.rule,
            sendFor,
            sqs,
            streamOf,
            checkpoints: inData('checkpoints'),
          }),
          startSubscriptions({
            ...home,
            subscriptions: deployment.logSubscriptions,
            logs,
            invoke,
            requireLog: leaves.log,
            sendFor,
          }),
        ];
        stopMappings = async () => {
          await Promise.all(stops.map((stop) => stop()));
        };
      }
      api.serve(deployment.routes, (route, event) => {
        leaves.route(route);
        leaves.run(route.functionName);
        return functions.call(route.functionName, event);
      });
      release();
      release = keepInUse(assembly);
      deployed = deployment;
      return deployment;
    },
    engine: engine.name,
    async close() {
      await api.close(graceMs);
      await Promise.race([stopMappings(), sleep(graceMs, undefined, { ref: false })]);
      await functions.close();
      const services = [logs, sqs, scheduler, kms, ses, s3, ssm, events];
      iam.close();
      await Promise.all(services.map((service) => service.close()));
      await engine.stop();
    },
  };
}

const schedulerService = 'scheduler.amazonaws.com';
/** By which the Scheduler is told from that of another account. */
function groupOf(scheduleArn: string): string {
  const [account = '', name = ''] = scheduleArn.split(':schedule/');
  return `${account}:schedule-group/${name.split('/')[0]}`;
}

/** Before any time: they count as ended, and are read again for each call. */
const alwaysAnew = '2000-01-01T00:00:00Z';
const variablesOf = ({ accessKeyId, secretAccessKey }: Credentials) => ({
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
});

const invokersOf = ({ queueMappings, streamMappings, rules, logSubscriptions }: Deployment) => ({
  queueMappings,
  streamMappings,
  rules,
  logSubscriptions,
});

function ensureQueue(sqs: LocalSqs, { name, attributes }: QueueToRun): void {
  const existing = sqs.queueByArn(`arn:aws:sqs:${home.region}:${home.accountId}:${name}`);
  if (existing) existing.setAttributes(attributes);
  else sqs.createQueue(name, attributes);
}

// Services that do not run here are refused on a closed port, unless the operator names an endpoint: never the real AWS.
function othersEndpoints(): Record<string, string> {
  const given = Object.entries(process.env).filter(([name, value]) => name.startsWith('AWS_ENDPOINT_URL_') && value);
  return { AWS_ENDPOINT_URL: nowhere, ...Object.fromEntries(given) } as Record<string, string>;
}
