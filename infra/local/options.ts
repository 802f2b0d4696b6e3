import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { settings } from '#lib/env.ts';
import type { TableLimits } from './contention.ts';
import { StartProblem } from './problem.ts';

export interface StartOptions {
  port: number;
  host: string;
  /** Where DynamoDB, SQS and the other services listen. */
  servicesHost: string;
  dataDir: string;
  dynamodbEndpoint: string | undefined;
  /** No demo workspace at the first start. */
  isEmpty: boolean;
  /** Builds again after every change of the sources. */
  watches: boolean;
  /** Every function runs in threads of its own, as on Lambda, and the limits are those of AWS. */
  isStrict: boolean;
  limits: Limits;
  /** Operator settings, as CDK context. */
  settings: Record<string, string>;
  /** SecureStrings of SSM by their names. */
  parameters: Record<string, string>;
}

/** What AWS limits, and this system where it is asked to. */
export interface Limits extends TableLimits {
  /** The most invocations of all functions at once. */
  concurrentExecutions: number;
  /** After so many records shards of a stream are closed and go on in others; infinite where there is one shard. */
  shardRecords: number;
}

const localSettings = { WEBHOOK_PRIVATE_NETWORKS: 'allow', MAIL_FROM: 'crm@localhost', RELEASE_GRACE_SECONDS: '5' };

const loopback = '127.0.0.1';

/** Reads the command line and the environment of `npm start`. */
export function readOptions(args: readonly string[], environment: NodeJS.ProcessEnv): StartOptions {
  const { PORT = '3000', DATA_DIR = '.local', DYNAMODB_ENDPOINT } = environment;
  const { HOST = loopback, SERVICES_HOST = loopback } = environment;
  const eventBus: Record<string, string> = environment['EVENT_BUS'] ? { eventBus: environment['EVENT_BUS'] } : {};
  const telegram = telegramApp(environment);
  const port = Number(PORT);
  const flags = flagsOf(args);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new StartProblem(`PORT ${PORT} is not a port number`);
  return {
    port,
    host: HOST,
    servicesHost: SERVICES_HOST,
    dataDir: resolve(DATA_DIR),
    dynamodbEndpoint: DYNAMODB_ENDPOINT || undefined,
    settings: { ...localSettings, ...operatorSettings(environment), ...eventBus, ...telegram.settings },
    parameters: telegram.parameters,
    limits: limitsOf(environment, flags.isStrict),
    ...flags,
  };
}

/** What is limited in a strict system as on AWS, or by a variable of the environment. */
export const limits: Record<keyof Limits, { variable: string; onAws: number; otherwise: number; least?: number }> = {
  transactionMs: { variable: 'TRANSACTION_MS', onAws: 10, otherwise: 0 },
  writeUnits: { variable: 'PARTITION_WRITE_UNITS', onAws: 1000, otherwise: Number.POSITIVE_INFINITY },
  readUnits: { variable: 'PARTITION_READ_UNITS', onAws: 3000, otherwise: Number.POSITIVE_INFINITY },
  concurrentExecutions: { variable: 'CONCURRENT_EXECUTIONS', onAws: 1000, otherwise: Number.POSITIVE_INFINITY },
  // On AWS a shard lasts for hours, whatever it has.
  shardRecords: { variable: 'STREAM_SHARD_RECORDS', onAws: 1000, otherwise: Number.POSITIVE_INFINITY, least: 1 },
};

/** Those of AWS in a strict system, and whatever the environment says. */
function limitsOf(environment: NodeJS.ProcessEnv, isStrict: boolean): Limits {
  const chosen = Object.entries(limits).map(([name, { variable, onAws, otherwise, least = 0 }]) => {
    const given = environment[variable];
    const limit = given ? Number(given) : isStrict ? onAws : otherwise;
    if (!(limit >= least)) throw new StartProblem(`${variable} ${given} is not a number of ${least} or more`);
    return [name, limit];
  });
  return Object.fromEntries(chosen);
}

/** The hash of the Telegram application is where it is on AWS, in a parameter that functions read. */
function telegramApp({ TELEGRAM_API_HASH }: NodeJS.ProcessEnv): Pick<StartOptions, 'settings' | 'parameters'> {
  if (!TELEGRAM_API_HASH) return { settings: {}, parameters: {} };
  const name = '/crm-api/telegram-api-hash';
  return { settings: { telegramApiHashParameter: name }, parameters: { [name]: TELEGRAM_API_HASH } };
}

function operatorSettings(environment: NodeJS.ProcessEnv): Record<string, string> {
  const schemas: Record<string, v.GenericSchema> = { ...settings, MAIL_FROM: v.string() };
  const chosen: Record<string, string> = {};
  for (const [name, schema] of Object.entries(schemas)) {
    const value = environment[name];
    if (!value) continue;
    const { issues } = v.safeParse(schema, value);
    if (issues) throw new StartProblem(`${name} ${value}: ${issues[0].message}`);
    chosen[name] = value;
  }
  return chosen;
}

function flagsOf(args: readonly string[]): Pick<StartOptions, 'isEmpty' | 'watches' | 'isStrict'> {
  try {
    const flag = { type: 'boolean', default: false } as const;
    const options = { empty: flag, watch: flag, strict: flag };
    const { values } = parseArgs({ args: [...args], options });
    return { isEmpty: values.empty, watches: values.watch, isStrict: values.strict };
  } catch (error) {
    throw new StartProblem((error as Error).message);
  }
}
