import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import { mkdtempSync } from 'node:fs';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { dirname, join } from 'node:path';
import { setTimeout as realSleep, setImmediate as turn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { Logger, type LogItem } from '@aws-lambda-powertools/logger';
import { DeleteTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { besides } from '#infra/bundle.ts';
import { type FunctionFile, listFunctions } from '#infra/functions.ts';
import { Calls, sessionOf } from '#infra/local/calls.ts';
import { noteTableCalls } from '#infra/local/engine/calls.ts';
import { runEngine } from '#infra/local/engine/process.ts';
import { findEngine } from '#infra/local/engine/program.ts';
import { openStreams, type StreamRecord } from '#infra/local/engine/stream-client.ts';
import { indexStreamRecords } from '#infra/local/engine/stream-index.ts';
import { ensureTable } from '#infra/local/engine/table.ts';
import { startEvents } from '#infra/local/events.ts';
import { writeSystemFile } from '#infra/local/files.ts';
import type { Answer } from '#infra/local/functions/invocation.ts';
import { splitTarget, toEvent } from '#infra/local/http/event.ts';
import { type HttpAnswer, toHttpAnswer } from '#infra/local/http/response.ts';
import { routeTable } from '#infra/local/http/routes.ts';
import { type HttpApi, startHttpApi } from '#infra/local/http.ts';
import { startKms } from '#infra/local/kms.ts';
import { deliver } from '#infra/local/mappings/batch.ts';
import { awsEvent } from '#infra/local/mappings/event.ts';
import { failedItems } from '#infra/local/mappings/failures.ts';
import { passes } from '#infra/local/mappings/filter.ts';
import { collectMs, logEvent, toLine } from '#infra/local/mappings/log.ts';
import { logMatcher } from '#infra/local/mappings/log-pattern.ts';
import { batchesOf, payloadOf } from '#infra/local/mappings/payload.ts';
import { nowhere } from '#infra/local/nowhere.ts';
import { startS3 } from '#infra/local/s3.ts';
import { startScheduler } from '#infra/local/scheduler.ts';
import { startSes } from '#infra/local/ses.ts';
import { startSqs } from '#infra/local/sqs.ts';
import { startSsm } from '#infra/local/ssm.ts';
import {
  type Deployment,
  type FunctionToRun,
  type LogSubscription,
  type QueueMapping,
  type RateRule,
  readDeployment,
  type StreamMapping,
} from '#infra/local/template.ts';
import { pascalCase } from '#infra/names.ts';
import { now, setClock } from '#lib/core/clock.ts';
import { rowKey } from '#lib/table/keys.ts';
import { addTo } from '#lib/table/write.ts';
import { createWorkspace } from '#lib/workspaces/create.ts';
import { startFrontCentre } from '#test/telegram/data-centre.ts';
import { startDouble } from '#test/telegram/double.ts';
import { newServerKey } from '#test/telegram/mtproto.ts';
import { MovedClock } from './moved-clock.ts';
import { callsIn } from './run-folder.ts';

const home = { accountId: '000000000000', region: 'us-east-1' };
const credentials = { accessKeyId: 'LOCALTEST', secretAccessKey: 'test' };
/** Processes keep what they know of a workspace: those of one test file have other numbers than those of the next. */
const workspacesPerFile = 1000;
const longestReceive = 10;
/** So long a test file waits for what the one before has begun. */
const restMs = 20_000;
/** A request to a receiver counts as work in hand for so long; then it is held, and time may pass. */
const heldAfterMs = 250;
/** Runs something in none of the contexts of tests and invocations. */
const outside = AsyncLocalStorage.snapshot();

/** One invocation at work. */
interface Run {
  name: string;
  environment: NodeJS.ProcessEnv;
  /** How many strands of it wait for the clock. */
  sleeping: number;
}

export interface Request {
  method: string;
  /** Path and query. */
  target: string;
  headers: Record<string, string>;
  body?: string | undefined;
  ip: string;
}

type Handler = (event: unknown, context: object) => Promise<unknown>;

/** What a rate rule invokes, and when it does next. */
interface Ringing {
  rule: RateRule;
  nextMs: number;
}

interface Collecting {
  subscription: LogSubscription;
  isWanted: (line: string) => boolean;
  lines: ReturnType<typeof toLine>[];
}

interface Following {
  mapping: StreamMapping;
  waiting: StreamRecord[];
  isBusy: boolean;
}

/**
 * The functions of the template in this process: on a table of a real engine, with queues, schedules, mails, keys, and files that speak AWS's
 * protocols, and a clock that tests move. Nothing happens by itself: `settle` runs what is due.
 */
export class World {
  readonly clock: MovedClock;
  readonly dataDir: string;
  readonly serverKey = newServerKey();
  api!: HttpApi;
  providerUrl = '';
  /** Endpoints, credentials, and every variable that some function has. */
  environment: Record<string, string> = {};
  /** The lines that were logged since the test file began. */
  readonly logged: string[] = [];
  #deployment!: Deployment;
  #match!: ReturnType<typeof routeTable>;
  #functions = new Map<string, { toRun: FunctionToRun; file: string; handler?: Handler }>();
  readonly #running = new AsyncLocalStorage<Run>();
  readonly #runs = new Set<Run>();
  readonly #atWork = new Set<Promise<unknown>>();
  #sqs!: Awaited<ReturnType<typeof startSqs>>;
  #dynamodb!: DynamoDBClient;
  #streams!: ReturnType<typeof openStreams>;
  #following: Following[] = [];
  #rings: Ringing[] = [];
  #invoking = new Map<string, number>();
  #collecting: Collecting[] = [];
  #iterator: string | undefined;
  #streamArn = '';
  #reading: Promise<void> | undefined;
  #files = 0;
  readonly #sleepers = new Set<{ untilMs: number }>();
  #isTicking = false;
  /** Calls to AWS that are not answered yet: somebody is at work, though others of the same invocation sleep. */
  readonly #unanswered = new Set<ClientRequest>();
  /** Requests to receivers and providers, with when each began on the machine's clock. */
  readonly #outgoing = new Map<unknown, number>();

  /** Keeps its data in a folder of the run, and notes in a file there what functions call. */
  static async start(assembly: string, folder: string): Promise<World> {
    const world = new World(folder);
    await world.#start(assembly, new Calls(callsIn(folder)));
    return world;
  }

  private constructor(folder: string) {
    this.dataDir = mkdtempSync(join(folder, 'world-'));
    this.clock = new MovedClock((untilMs) => {
      const run = this.#running.getStore();
      const sleeper = { untilMs };
      if (run) run.sleeping += 1;
      this.#sleepers.add(sleeper);
      // The clock and what it sets off belong to nobody who happens to sleep first.
      outside(() => void this.#tick());
      return () => {
        if (run) run.sleeping -= 1;
        this.#sleepers.delete(sleeper);
      };
    });
  }

  async #start(assembly: string, calls: Calls): Promise<void> {
    const inData = (name: string) => join(this.dataDir, name);
    const guarded = { host: '127.0.0.1', port: 0, accessKeyId: credentials.accessKeyId, calls };
    const host = '127.0.0.1';
    const program = findEngine();
    const onGivenUp = (error: Error) => {
      throw error;
    };
    this.#sqs = await startSqs({ ...guarded, ...home });
    this.api = await startHttpApi({ host, port: 0, accountId: home.accountId });
    const [engine, scheduler, kms, ses, s3, ssm, events, double, centre] = await Promise.all([
      runEngine({ program, host, folder: this.dataDir, onGivenUp }),
      startScheduler({
        ...guarded,
        ...home,
        deliver: (queueArn, body) => this.#sqs.send(queueArn, body),
      }),
      startKms({ ...guarded, ...home, keyPath: inData('kms-key.json') }),
      startSes({ ...guarded, ...home, mailboxDir: inData('mail'), publish: (event) => this.#publish(event) }),
      startS3({ ...guarded, folder: inData('s3') }),
      startSsm({ ...guarded, ...home, parameters: { '/crm-api/telegram-api-hash': 'test' } }),
      startEvents({
        ...guarded,
        folder: inData('events'),
        busArn: (name) => `arn:aws:events:${home.region}:${home.accountId}:event-bus/${name}`,
        published: ({ source, ...stated }) => awsEvent(source, stated, home),
      }),
      startDouble(),
      startFrontCentre(this.serverKey),
    ]);
    if (program.database) indexStreamRecords(join(this.dataDir, program.database));
    this.providerUrl = double.url;
    const endpoint = `http://${host}:${engine.port}`;
    const sdk = { endpoint, region: home.region, credentials };
    this.#dynamodb = new DynamoDBClient(sdk);
    this.#streams = openStreams(sdk);
    const hear = noteTableCalls(calls, home, () => String(this.#deployment.tables[0]?.TableName));
    this.#noteTable(`${host}:${engine.port}`, hear);
    const places = {
      AWS_ENDPOINT_URL: nowhere,
      AWS_REGION: home.region,
      AWS_DEFAULT_REGION: home.region,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
      AWS_ENDPOINT_URL_SQS: this.#sqs.url,
      AWS_ENDPOINT_URL_SCHEDULER: scheduler.url,
      AWS_ENDPOINT_URL_KMS: kms.url,
      AWS_ENDPOINT_URL_SESV2: ses.url,
      AWS_ENDPOINT_URL_S3: s3.url,
      AWS_ENDPOINT_URL_SSM: ssm.url,
      AWS_ENDPOINT_URL_EVENTBRIDGE: events.url,
      WEBHOOK_LOOPBACK: 'allow',
      TZ: 'UTC',
      TMPDIR: this.dataDir,
      POWERTOOLS_METRICS_DISABLED: 'true',
    };
    const providers = {
      TELEGRAM_API_ROOT: double.url,
      TWITTER_API_ROOT: double.url,
      TELEGRAM_DATA_CENTRE: centre.address,
      TELEGRAM_PUBLIC_KEY: this.serverKey.publicKey,
    };
    const servers = { ...home, sqsUrl: this.#sqs.url, apiUrl: this.api.url, keyId: kms.keyId };
    const deployment = readDeployment(assembly, servers);
    this.#deployment = deployment;
    for (const queue of deployment.queues) this.#sqs.createQueue(queue.name, queue.attributes);
    for (const name of deployment.scheduleGroups) scheduler.createGroup(name);
    ses.configure(deployment.mailConfigurations);
    s3.configure(deployment.buckets);
    // One that reads files beside its bundle is run from there, the others from their sources.
    const fileOf = ({ name, file }: FunctionFile) =>
      besides[name] ? join(dirname(assembly), 'functions', name, 'index.mjs') : file;
    const files = new Map(listFunctions().map((of) => [pascalCase(of.name), fileOf(of)]));
    for (const toRun of deployment.functions) {
      const file = files.get(toRun.name.split('-').at(-1) ?? '');
      if (file)
        this.#functions.set(toRun.name, {
          toRun: { ...toRun, environment: {} },
          file,
        });
    }
    const own = { ...places, ...providers };
    const shared: Record<string, string> = { ...places };
    for (const { name, environment } of deployment.functions) {
      const { NODE_OPTIONS: _, ...variables } = environment;
      // Where providers are is known now.
      const told = Object.fromEntries(
        Object.entries({ ...places, ...variables }).map(([key, value]) => [key, own[key as 'TZ'] ?? value]),
      );
      Object.assign(shared, told);
      const known = this.#functions.get(name);
      if (known) known.toRun.environment = { ...told, AWS_LAMBDA_FUNCTION_NAME: name, ...sessionOf(name) };
    }
    this.environment = shared;
    this.#following = deployment.streamMappings.map((mapping) => ({ mapping, waiting: [], isBusy: false }));
    this.#collecting = deployment.logSubscriptions.map((subscription) => ({
      subscription,
      isWanted: logMatcher(subscription.pattern),
      lines: [],
    }));
    this.#match = routeTable(deployment.routes);
    this.api.serve(deployment.routes, (name, event) => this.invoke(name, event));
    const outer = process.env;
    Object.assign(outer, shared);
    Object.defineProperty(process, 'env', { get: () => this.#running.getStore()?.environment ?? outer });
    setClock(this.clock);
    this.#takeLog();
    this.#watchOutgoing();
    this.#watchCalls(new Set(Object.values(places).flatMap((value) => URL.parse(value)?.host ?? [])));
  }

  /** Gives the next test file a table of its own, and forgets what the file before has left in queues and schedules. */
  async begin(): Promise<void> {
    // Nobody asks any more for what waits.
    this.#streamArn = '';
    for (const { waiting } of this.#following) waiting.length = 0;
    for (const queue of this.#sqs.queues()) queue.purge();
    await this.#comeToRest();
    setClock(this.clock);
    for (const queue of this.#sqs.queues()) queue.purge();
    const byMs = this.clock.reset();
    for (const sleeper of this.#sleepers) sleeper.untilMs -= byMs;
    const [table] = this.#deployment.tables;
    if (!table) throw new Error('the template has no table');
    const before = process.env['TABLE_NAME'];
    this.#files += 1;
    const TableName = `table-${this.#files}`;
    const streamArn = (await ensureTable(this.#dynamodb, { ...table, TableName })) ?? '';
    // Somebody who sleeps may be reading the stream of the table before.
    while (this.#reading !== undefined) await this.#reading.catch(() => {});
    this.#streamArn = streamArn;
    this.#iterator = undefined;
    for (const { toRun } of this.#functions.values())
      if ('TABLE_NAME' in toRun.environment) toRun.environment['TABLE_NAME'] = TableName;
    // Of the file before, nothing stays as it has set it.
    Object.assign(process.env, this.environment, { TABLE_NAME: TableName });
    // For commands in processes of their own, whose waits are real.
    const env = { ...this.environment, TABLE_NAME: TableName, API_URL: this.api.url };
    writeSystemFile(this.dataDir, { pid: process.pid, baseUrl: this.api.url, env });
    this.logged.length = 0;
    for (const { lines } of this.#collecting) lines.length = 0;
    for (const { waiting } of this.#following) waiting.length = 0;
    if (this.#files > 1) await this.#dynamodb.send(new DeleteTableCommand({ TableName: before })).catch(() => {});
    const nowMs = this.clock.now();
    this.#rings = this.#deployment.rules.map((rule) => ({ rule, nextMs: nowMs + rule.intervalMs }));
    await createWorkspace({ name: 'First', currency: 'EUR' });
    const last = this.#files * workspacesPerFile;
    await addTo(rowKey('workspaceIds', {}), { last });
  }

  /** Lets what the file before has begun come to its end; raises an error with its names if it does not. */
  async #comeToRest(): Promise<void> {
    const isOver = await Promise.race([this.settle().then(() => true), realSleep(restMs, false, { ref: false })]);
    if (isOver) return;
    throw new Error(
      `the file before left work that does not end: ${[...this.#runs].map(({ name }) => name).join(', ')}`,
    );
  }

  /** Invokes a function with an event as JSON. */
  async invoke(name: string, event: string): Promise<Answer> {
    const called = this.#functions.get(name);
    if (!called) throw new Error(`the template has no function ${name}`);
    const { toRun } = called;
    const run: Run = { name, environment: toRun.environment, sleeping: 0 };
    this.#runs.add(run);
    const deadlineMs = this.clock.now() + toRun.timeoutSeconds * 1000;
    const context = {
      functionName: name,
      functionVersion: '$LATEST',
      awsRequestId: randomUUID(),
      memoryLimitInMB: String(toRun.memoryMb),
      callbackWaitsForEmptyEventLoop: true,
      getRemainingTimeInMillis: () => Math.max(0, deadlineMs - this.clock.now()),
    };
    try {
      return await this.#running.run(run, async () => {
        called.handler ??= (await import(pathToFileURL(called.file).href)).handler as Handler;
        return { payload: JSON.stringify((await called.handler(JSON.parse(event), context)) ?? null) };
      });
    } catch (error) {
      const { name: errorType, message, stack } = error as Error;
      if (process.env['SHOW_SYSTEM']) console.error(name, error);
      return { error: { errorType, errorMessage: message, trace: (stack ?? '').split('\n') } };
    } finally {
      this.#runs.delete(run);
    }
  }

  /** Answers a request as API Gateway would, without a connection. */
  async request({ method, target, headers, body, ip }: Request): Promise<HttpAnswer> {
    const match = this.#match(method, splitTarget(target).path);
    if (!match) throw new Error(`the template has no route for ${method} ${target}`);
    const bytes = Buffer.from(body ?? '');
    const all = {
      host: new URL(this.api.url).host,
      ...headers,
      ...(body !== undefined && { 'content-length': String(bytes.length) }),
    };
    const lowerCased = Object.entries(all).map(([name, value]) => [name.toLowerCase(), value] as const);
    const incoming = {
      method,
      url: target,
      httpVersion: '1.1',
      headers: Object.fromEntries(lowerCased),
      headersDistinct: Object.fromEntries(lowerCased.map(([name, value]) => [name, [value]])),
      socket: { remoteAddress: ip, localPort: Number(new URL(this.api.url).port) },
    } as unknown as IncomingMessage;
    const event = toEvent({ incoming, body: bytes, match, accountId: home.accountId });
    return toHttpAnswer(await this.invoke(match.route.functionName, JSON.stringify(event)));
  }

  /** Runs what is due until nothing is: what the stream feeds, what waits in queues, and what follows from it. */
  async settle(): Promise<void> {
    for (;;) {
      await this.#pump();
      if (this.#atWork.size === 0) return;
      await Promise.race(this.#atWork);
    }
  }

  /** Moves the clock ahead, from one timer to the next, each done before time goes on. Rate rules go off once, at the end. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.clock.now() + ms;
    await this.settle();
    for (let nextMs = this.clock.nextMs(); nextMs !== undefined && nextMs <= untilMs; nextMs = this.clock.nextMs()) {
      this.clock.moveTo(nextMs);
      await this.settle();
    }
    this.clock.moveTo(untilMs);
    this.#ring();
    await this.settle();
  }

  /** Moves the clock to what falls due next, no further than so many milliseconds. */
  async step(mostMs: number): Promise<void> {
    const nowMs = this.clock.now();
    await this.advance(Math.min(mostMs, Math.max(0, (this.clock.nextMs() ?? Number.POSITIVE_INFINITY) - nowMs)));
  }

  #ring(): void {
    const nowMs = this.clock.now();
    for (const ringing of this.#rings) {
      if (ringing.nextMs > nowMs) continue;
      const { rule } = ringing;
      ringing.nextMs = nowMs + rule.intervalMs;
      const event = awsEvent(
        'aws.events',
        { 'detail-type': 'Scheduled Event', resources: [rule.arn], detail: {} },
        home,
      );
      this.#begin(this.invoke(rule.functionName, rule.input ?? JSON.stringify(event)));
    }
  }

  /** Begins what can begin now. */
  async #pump(): Promise<void> {
    this.clock.runDue();
    this.#reading ??= this.#readStream().finally(() => {
      this.#reading = undefined;
    });
    await this.#reading;
    for (const following of this.#following)
      if (!following.isBusy && following.waiting.length > 0) this.#feed(following);
    for (const mapping of this.#deployment.queueMappings) await this.#drain(mapping);
  }

  /** Hears each request of a function to the engine as it is sent. A guard in between would cost a tenth of the CPU of the tests. */
  #noteTable(host: string, hear: ReturnType<typeof noteTableCalls>): void {
    subscribe('http.client.request.created', (message) => {
      const { request } = message as { request: ClientRequest };
      const run = this.#running.getStore();
      if (run === undefined || request.getHeader('host') !== host) return;
      const head = `x-amz-security-token: ${run.name}\r\nx-amz-target: ${request.getHeader('x-amz-target')}`;
      const end = request.end.bind(request) as (...given: unknown[]) => ClientRequest;
      request.end = (...given: unknown[]) => {
        hear(head, Buffer.from(given[0] as string | Uint8Array));
        return end(...given);
      };
    });
  }

  #watchCalls(hosts: ReadonlySet<string>): void {
    subscribe('http.client.request.start', (message) => {
      const { request } = message as { request: ClientRequest };
      if (!hosts.has(String(request.getHeader('host')))) return;
      this.#unanswered.add(request);
      request.once('close', () => this.#unanswered.delete(request));
    });
  }

  /** Follows the requests of undici, by which functions call receivers and providers. */
  #watchOutgoing(): void {
    const requestIn = (message: unknown) => (message as { request: unknown }).request;
    subscribe('undici:request:create', (message) => void this.#outgoing.set(requestIn(message), performance.now()));
    for (const end of ['undici:request:trailers', 'undici:request:error'])
      subscribe(end, (message) => void this.#outgoing.delete(requestIn(message)));
  }

  #isBusy(): boolean {
    const held = performance.now() - heldAfterMs;
    return this.#unanswered.size > 0 || [...this.#outgoing.values()].some((beganMs) => beganMs > held);
  }

  /** Takes what functions log in place of the standard output, with the time of the clock that tests move. */
  #takeLog(): void {
    const log = Logger.prototype as unknown as { printLog(level: number, item: LogItem): void; console: object };
    const { printLog } = log;
    const take = (line: string) => this.#log(line);
    const console = { trace: take, debug: take, info: take, warn: take, error: take };
    log.printLog = function (level, item) {
      this.console = console;
      item.addAttributes({ timestamp: new Date(now()).toISOString() });
      printLog.call(this, level, item);
    };
  }

  #log(line: string): void {
    this.logged.push(line);
    const name = this.#running.getStore()?.name ?? '';
    for (const { subscription, isWanted, lines } of this.#collecting) {
      if (!subscription.sources.includes(name) || !isWanted(line)) continue;
      lines.push(toLine(line));
      if (lines.length > 1) continue;
      this.clock.after(collectMs, () => {
        if (lines.length === 0) return;
        const event = logEvent(home.accountId, subscription, lines.splice(0));
        this.#begin(this.invoke(subscription.functionName, event));
      });
    }
  }

  #begin(work: Promise<unknown>): void {
    const whole = work
      .catch((error) => console.error(error))
      .finally(() => {
        this.#atWork.delete(whole);
      });
    this.#atWork.add(whole);
  }

  async #readStream(): Promise<void> {
    const streamArn = this.#streamArn;
    if (streamArn === '') return;
    for (;;) {
      const iterator = this.#iterator ?? (await this.#firstIterator(streamArn));
      const { Records, NextShardIterator } = await this.#streams.read({ ShardIterator: iterator, Limit: 1000 });
      // The next test file may have begun.
      if (streamArn !== this.#streamArn) return;
      this.#iterator = NextShardIterator;
      if (Records.length === 0) return;
      for (const { mapping, waiting } of this.#following)
        for (const record of Records)
          if (passes(mapping.filters, record) && hasChanged(record)) waiting.push(this.#received(record));
    }
  }

  /** A record as Lambda hands it on; it was made now, by the clock that tests move. */
  #received({ dynamodb, ...record }: StreamRecord): StreamRecord {
    const ApproximateCreationDateTime = Math.floor(this.clock.now() / 1000);
    return {
      ...record,
      dynamodb: { ...dynamodb, ApproximateCreationDateTime },
      awsRegion: home.region,
      eventSourceARN: this.#streamArn,
    };
  }

  async #firstIterator(StreamArn: string): Promise<string> {
    const { StreamDescription } = await this.#streams.describe({ StreamArn });
    const ShardId = StreamDescription.Shards[0]?.ShardId ?? '';
    const { ShardIterator } = await this.#streams.iterator({ StreamArn, ShardId, ShardIteratorType: 'TRIM_HORIZON' });
    return ShardIterator;
  }

  #feed(following: Following): void {
    const { mapping, waiting } = following;
    following.isBusy = true;
    const work = async () => {
      try {
        while (waiting.length > 0)
          for (const records of batchesOf(waiting.splice(0), mapping.batchSize))
            await deliver(
              { records, shardId: 'shard', streamArn: this.#streamArn },
              {
                mapping,
                invoke: (name, event) => this.invoke(name, event),
                sendToQueue: (queueArn, body) => this.#sqs.send(queueArn, body),
                signal: new AbortController().signal,
              },
            );
      } finally {
        following.isBusy = false;
      }
    };
    this.#begin(work());
  }

  async #drain(mapping: QueueMapping): Promise<void> {
    const queue = this.#sqs.queueByArn(mapping.queueArn);
    if (!queue) throw new Error(`the mapping ${mapping.id} has no queue`);
    const most = mapping.maxConcurrency ?? Number.POSITIVE_INFINITY;
    const atWork = () => this.#invoking.get(mapping.id) ?? 0;
    while (atWork() < most && queue.counts().visible > 0) {
      const maxMessages = Math.min(mapping.batchSize, longestReceive);
      const records = await queue.receiveRecords({ maxMessages, waitSeconds: 0 });
      if (records.length === 0) return;
      const wanted = records.filter((record) => {
        if (mapping.filters.length === 0 || passes(mapping.filters, { ...record, body: JSON.parse(record.body) }))
          return true;
        queue.delete(record.receiptHandle);
        return false;
      });
      this.#invoking.set(mapping.id, atWork() + 1);
      const work = async () => {
        try {
          for (const batch of batchesOf(wanted, mapping.batchSize)) {
            const answer = await this.invoke(mapping.functionName, payloadOf(batch));
            const ids = batch.map(({ record }) => record.messageId);
            const failed = failedItems(answer, ids, mapping.reportsItemFailures);
            for (const { record } of batch) if (!failed.has(record.messageId)) queue.delete(record.receiptHandle);
          }
        } finally {
          this.#invoking.set(mapping.id, atWork() - 1);
        }
      };
      this.#begin(work());
    }
  }

  #publish(event: { 'detail-type': string; detail: Record<string, unknown> }): void {
    const whole = awsEvent('aws.ses', event, home);
    for (const { pattern, queueArns } of this.#deployment.eventRules)
      if (passes([pattern], whole)) for (const queueArn of queueArns) this.#sqs.send(queueArn, JSON.stringify(whole));
  }

  /** While somebody sleeps: begins what is due, and moves the clock once everybody at work sleeps. */
  async #tick(): Promise<void> {
    if (this.#isTicking) return;
    this.#isTicking = true;
    try {
      while (this.#sleepers.size > 0) {
        await realSleep(2);
        await this.#pump();
        await turn();
        const isIdle = !this.#isBusy() && [...this.#runs].every(({ sleeping }) => sleeping > 0);
        if (isIdle && this.#sleepers.size > 0)
          this.clock.moveTo(Math.min(...[...this.#sleepers].map(({ untilMs }) => untilMs)));
      }
    } finally {
      this.#isTicking = false;
    }
  }
}

/** The engine tells of writes that change nothing, which DynamoDB does not. */
const hasChanged = ({ eventName, dynamodb }: StreamRecord) =>
  eventName !== 'MODIFY' || !isDeepStrictEqual(dynamodb.OldImage, dynamodb.NewImage);
