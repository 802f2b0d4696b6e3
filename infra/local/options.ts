import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { settings } from '#lib/core/env.ts';
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
  /** Operator settings, as CDK context. */
  settings: Record<string, string>;
  /** SecureStrings of SSM by their names. */
  parameters: Record<string, string>;
}

const localSettings = { WEBHOOK_PRIVATE_NETWORKS: 'allow', MAIL_FROM: 'crm@localhost' };

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
    ...flags,
  };
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

function flagsOf(args: readonly string[]): Pick<StartOptions, 'isEmpty' | 'watches'> {
  try {
    const flag = { type: 'boolean', default: false } as const;
    const options = { empty: flag, watch: flag };
    const { values } = parseArgs({ args: [...args], options });
    return { isEmpty: values.empty, watches: values.watch };
  } catch (error) {
    throw new StartProblem((error as Error).message);
  }
}
