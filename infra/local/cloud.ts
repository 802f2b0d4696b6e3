import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { keepInUse } from './build.ts';
import { Calls, sessionOf } from './calls.ts';
import { noteTableCalls } from './engine/calls.ts';
import { openStreams, shared } from './engine/stream-client.ts';
import { ensureTable } from './engine/table.ts';
import { startEngine } from './engine.ts';
import { startEvents } from './events.ts';
import type { Credentials } from './files.ts';
import { type FunctionLogs, openFunctionLogs } from './functions/log.ts';
import { startFunctions } from './functions.ts';
import type { HttpApi } from './http.ts';
import { startKms } from './kms.ts';
import { awsEvent } from './mappings/event.ts';
import { passes } from './mappings/filter.ts';
import { startSubscriptions } from './mappings/log.ts';
import type { StreamSource } from './mappings/stream.ts';
import { startMappings } from './mappings.ts';
import { nowhere } from './nowhere.ts';
import { startS3 } from './s3.ts';
import { startScheduler } from './scheduler.ts';
import { type MailEvent, startSes } from './ses.ts';
import { startSqs } from './sqs.ts';
import { startSsm } from './ssm.ts';
import { home } from './template/identities.ts';
import { type Deployment, readDeployment } from './template.ts';
import { sendTimersAgain } from './timers.ts';

export interface CloudSettings {
  dataDir: string;
  /** Where the services listen. */
  servicesHost: string;
  credentials: Credentials;
  api: HttpApi;
  dynamodbEndpoint: string | undefined;
  /** SecureStrings of SSM by their names. */
  parameters: Readonly<Record<string, string>>;
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

const graceMs = 3000;

/** Starts the services that functions use. Functions and what invokes them start with the first `deploy`. */
export async function startCloud(settings: CloudSettings): Promise<Cloud> {
  const { dataDir, servicesHost, credentials, api, dynamodbEndpoint, parameters, report, onEngineLost } = settings;
  const inData = (name: string) => join(dataDir, name);
  const calls = callsOf(dataDir);
  const guarded = { host: servicesHost, port: 0, accessKeyId: credentials.accessKeyId, calls };
  const sqs = await startSqs({ ...guarded, ...home });
  const [engine, scheduler, kms, ses, s3, ssm, events] = await Promise.all([
    startEngine({
      ...guarded,
      endpoint: dynamodbEndpoint,
      folder: inData('dynamodb'),
      hear: noteTableCalls(calls, home),
      onGivenUp: onEngineLost,
    }),
    startScheduler({
      ...guarded,
      ...home,
      deliver: sqs.send,
    }),
    startKms({ ...guarded, ...home, keyPath: inData('kms-key.json') }),
    startSes({ ...guarded, ...home, mailboxDir: inData('mail'), publish: (event) => publish(event) }),
    startS3({ ...guarded, folder: inData('s3') }),
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
    runtimeEnvironment: { ...environment, AWS_ENDPOINT_URL_DYNAMODB: engine.functionsUrl },
    sessionOf,
    logs,
  });

  const streamOf = (tableName: string) => {
    const source = tableStreams.get(tableName);
    if (!source) throw new Error(`the table ${tableName} has no stream`);
    return source;
  };
  let deployed: Deployment | undefined;

  /** Publishes an event to the targets of every rule that it matches, as EventBridge does. */
  function publish(event: MailEvent): void {
    const whole = awsEvent('aws.ses', event, home);
    for (const { pattern, queueArns } of deployed?.eventRules ?? [])
      if (passes([pattern], whole)) for (const queueArn of queueArns) sqs.send(queueArn, JSON.stringify(whole));
  }
  let stopMappings = async () => {};
  let release = () => {};

  return {
    environment,
    kill: functions.kill,
    async deploy(assembly) {
      const deployment = readDeployment(assembly, { ...home, sqsUrl: sqs.url, apiUrl: api.url, keyId: kms.keyId });
      for (const table of deployment.tables) {
        const streamArn = await ensureTable(dynamodb, table);
        const source = { client: streams, region: home.region, changes: engine.changes };
        if (streamArn) tableStreams.set(table.TableName, { ...source, streamArn });
      }
      for (const queue of deployment.queues) sqs.createQueue(queue.name, queue.attributes);
      for (const name of deployment.scheduleGroups) {
        if (!deployed?.scheduleGroups.includes(name)) scheduler.createGroup(name);
      }
      ses.configure(deployment.mailConfigurations);
      s3.configure(deployment.buckets);
      functions.replace(deployment.functions);
      const { invoke } = functions;
      if (!deployed || !isDeepStrictEqual(invokersOf(deployment), invokersOf(deployed))) {
        await stopMappings();
        const invoking = { ...home, invoke, sendToQueue: sqs.send };
        const stops = [
          startMappings({ ...invoking, deployment, sqs, streamOf, checkpoints: inData('checkpoints') }),
          startSubscriptions({ ...invoking, subscriptions: deployment.logSubscriptions, logs }),
        ];
        stopMappings = async () => {
          await Promise.all(stops.map((stop) => stop()));
        };
      }
      api.serve(deployment.routes, invoke);
      if (!deployed)
        sendTimersAgain(deployment, dynamodb, invoke).catch((error: Error) =>
          report(`what is due soon is left to the sweeper: ${error.message}`),
        );
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
      await Promise.all(services.map((service) => service.close()));
      await engine.stop();
    },
  };
}

/** Where calls are noted: in the file that systems of one run of tests share, else in one of this start. */
function callsOf(dataDir: string): Calls {
  const shared = process.env['CALLS_FILE'];
  const calls = new Calls(shared ?? join(dataDir, 'calls.jsonl'));
  if (!shared) calls.clear();
  return calls;
}

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

// Services that do not run here are refused on a closed port, unless the operator names an endpoint: never the real AWS.
function othersEndpoints(): Record<string, string> {
  const given = Object.entries(process.env).filter(([name, value]) => name.startsWith('AWS_ENDPOINT_URL_') && value);
  return { AWS_ENDPOINT_URL: nowhere, ...Object.fromEntries(given) } as Record<string, string>;
}
