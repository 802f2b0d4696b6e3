import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SendMessageBatchCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { Engine } from '#infra/local/engine.ts';
import { createDataDir, credentialsOf } from '#infra/local/files.ts';
import { pascalCase } from '#infra/names.ts';
import { platforms } from '#lib/core/channel.ts';
import { queueUrl } from '#lib/core/env.ts';
import type { QueueName } from '#lib/core/queues.ts';
import { startOwnEngine } from '#test/engine.ts';
import { startProxy } from '#test/faults/dynamodb-proxy.ts';
import type { Random } from '#test/faults/random.ts';
import { commandOf, descendants } from '#test/processes.ts';
import { readEnvironment, type System, startSystem } from '#test/system.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

/** Waits of the webhook schedule: 75 hours become 5 seconds. */
const retryScale = '0.00002';
const spoiledShare = 0.03;

/** The functions that are killed one by one: those that send, and others. */
const senders = ['deliver', 'deliver-slow', ...platforms, 'send-email'].map((name) => pascalCase(`workers-${name}`));
const others = [
  'WorkersPublishEvents',
  'WorkersDispatchTimers',
  'WorkersSweep',
  'ContactsCreate',
  'TelegramCreateMessage',
];

/** A local system that dies and comes back, on its own engine or behind a bad network to another. */
export class FaultySystem {
  kills = { system: 0, engine: 0, function: 0 };
  readonly #dataDir: string;
  readonly #env: Record<string, string>;
  readonly #engine: Engine | undefined;
  readonly #proxy: Awaited<ReturnType<typeof startProxy>> | undefined;
  #system: System | undefined;

  private constructor(
    dataDir: string,
    providerUrl: string,
    engine: Engine | undefined,
    proxy: Awaited<ReturnType<typeof startProxy>> | undefined,
  ) {
    this.#dataDir = dataDir;
    this.#engine = engine;
    this.#proxy = proxy;
    this.#env = {
      WEBHOOK_RETRY_SCALE: retryScale,
      TELEGRAM_API_ROOT: providerUrl,
      TWITTER_API_ROOT: providerUrl,
      PUBLIC_URL: 'https://crm.example',
      ...(proxy && { DYNAMODB_ENDPOINT: proxy.url }),
    };
  }

  static async start(dataDir: string, providerUrl: string, random: Random, isProxied: boolean) {
    createDataDir(dataDir);
    const engine = isProxied ? await startOwnEngine(dataDir) : undefined;
    const proxy = engine && (await startProxy(engine.url, random, spoiledShare));
    const faulty = new FaultySystem(dataDir, providerUrl, engine, proxy);
    await faulty.#boot();
    return faulty;
  }

  /** Undefined while it is down. */
  get baseUrl(): string | undefined {
    return this.#system?.baseUrl;
  }

  get injected(): number {
    return this.#proxy?.injected ?? 0;
  }

  get ownsEngine(): boolean {
    return this.#engine === undefined;
  }

  /** From now on the network to DynamoDB is bad, or good again. */
  spoil(isSpoiled: boolean): void {
    this.#proxy?.arm(isSpoiled);
  }

  async #boot(): Promise<void> {
    this.#system = await startSystem(this.#dataDir, this.#env);
  }

  /** `kill -9` of every process of it at once, and a new start on its data; with `replays` its streams are read again from the beginning. */
  async crash(replays: boolean, isSpoiledAfterwards: boolean): Promise<void> {
    const { process: main } = this.#system as System;
    this.#system = undefined;
    const exited = new Promise((resolve) => main.once('exit', resolve));
    for (const pid of [main.pid as number, ...descendants(main.pid as number)]) killHard(pid);
    await exited;
    this.kills.system += 1;
    if (replays) rmSync(join(this.#dataDir, 'checkpoints'), { recursive: true, force: true });
    this.spoil(false);
    await this.#boot();
    this.spoil(isSpoiledAfterwards);
  }

  crashEngine(): void {
    const below = descendants((this.#system as System).process.pid as number);
    const engine = below.find((pid) => commandOf(pid).endsWith('dynoxide'));
    if (engine === undefined) return;
    killHard(engine);
    this.kills.engine += 1;
  }

  /** Ends the running copies of a function. */
  crashFunction(random: Random, of: 'senders' | 'others'): void {
    this.killFunction(random.pick(of === 'senders' ? senders : others));
  }

  killFunction(name: string): void {
    writeFileSync(join(this.#dataDir, 'kill', `CrmApi-${name}`), '');
    this.kills.function += 1;
  }

  /** What a process needs to use its table and its queues. */
  async environment() {
    return { env: await readEnvironment(this.#dataDir), credentials: credentialsOf(this.#dataDir) };
  }

  /** Timers as SQS may deliver them: again, and again, in no order. */
  dispatchTimers(queue: QueueName, messages: readonly object[]): Promise<void> {
    return this.sendMessages(
      queue,
      messages.map((message) => JSON.stringify(message)),
    );
  }

  /** Any texts, ten at most. */
  async sendMessages(queue: QueueName, bodies: readonly string[]): Promise<void> {
    const { env, credentials } = await this.environment();
    const endpoint = env['AWS_ENDPOINT_URL_SQS'] as string;
    const sqs = new SQSClient({ endpoint, region: 'us-east-1', credentials });
    const Entries = bodies.map((MessageBody, index) => ({ Id: String(index), MessageBody }));
    await sqs.send(new SendMessageBatchCommand({ QueueUrl: queueUrl(queue, env), Entries }));
    sqs.destroy();
  }

  /** What an operator would do on a shell. */
  async admin<Result>(noun: string, verb: string, input: object): Promise<Result> {
    const args = ['infra/admin.ts', noun, verb, JSON.stringify(input)];
    const env = { ...process.env, DATA_DIR: this.#dataDir };
    return JSON.parse((await run(process.execPath, args, { cwd: root, env })).stdout);
  }

  async stop(): Promise<void> {
    await this.#system?.stop();
    await this.#proxy?.close();
    await this.#engine?.stop();
  }
}

function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It went with its parent.
  }
}
