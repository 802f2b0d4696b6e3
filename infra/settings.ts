import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { localSettings, number, settings, wholeNumber } from '#lib/core/env.ts';

/** A setting that the operator can mend: shown in one line, without a stack trace. */
export class ContextProblem extends Error {}

const arn = (service: string) =>
  v.pipe(v.string(), v.regex(new RegExp(`^arn:aws:${service}:`), `must be the ARN of one of ${service}`));
const domain = v.pipe(v.string(), v.regex(/^([a-z\d-]{1,63}\.)+[a-z]{2,63}$/, 'must be a domain in lower case'));

/** Settings of the deployment that no function reads. */
const deployment = {
  alarmEmail: v.optional(v.pipe(v.string(), v.email('must be an e-mail address'))),
  mailDomain: v.optional(domain),
  /** The name of a bus in this account and region. */
  eventBus: v.optional(v.pipe(v.string(), v.regex(/^[\w./-]{1,256}$/, 'must be the name of an event bus'))),
  accountConcurrency: v.optional(wholeNumber(1), '1000'),
  /** How many invocations of each slow function (analytics, summaries) may run at once; nothing is reserved without it. */
  slowConcurrency: v.optional(wholeNumber(1)),
  /** Whether functions send traces to X-Ray, whose rate nobody can set for Lambda: one of each function in a second, and 5 % of the rest. */
  tracing: v.optional(v.picklist(['off', 'active'], 'must be off or active'), 'off'),
  requestsPerSecond: v.optional(wholeNumber(1), '2000'),
  monthlyBudget: v.optional(number(1)),
  alarmWriteUnits: v.optional(wholeNumber(1), '1000000'),
  alarmReadUnits: v.optional(wholeNumber(1), '5000000'),
  alarmInvocations: v.optional(wholeNumber(1), '1000000'),
  /** The name under which callers reach the API, with a certificate of this region or a hosted zone in which both are made. */
  domainName: v.optional(domain),
  certificateArn: v.optional(arn('acm')),
  hostedZone: v.optional(
    v.pipe(v.string(), v.regex(/^Z[A-Z\d]{1,31}:([a-z\d-]{1,63}\.)+[a-z]{2,63}$/, 'must be <id>:<name>')),
  ),
  /** Whether `workspace import` takes archives that this deployment has not sealed: for stages without customers. */
  allowUnsignedImports: v.optional(v.picklist(['true', 'false'], 'must be true or false'), 'false'),
  /** A table restored from a point in time, with its stream, instead of the stack's own. */
  tableName: v.optional(v.pipe(v.string(), v.regex(/^[\w.-]{3,255}$/, 'must be the name of a table'))),
  tableStreamArn: v.optional(arn('dynamodb')),
  /** An SSM parameter (SecureString) that holds the hash of the operator's Telegram application. */
  telegramApiHashParameter: v.optional(
    v.pipe(v.string(), v.regex(/^\/[\w./-]{1,1010}$/, 'must be the name of a parameter, with a slash before it')),
  ),
} as const;

const Deployment = v.object(deployment);

export type DeploymentSettings = v.InferOutput<typeof Deployment> & { mailFrom: string | undefined };

export interface StageSettings {
  stage: string | undefined;
  deployment: DeploymentSettings;
  /** Operator settings, as environment variables of every function. */
  environment: Record<string, string>;
  /** Settings that only the command line names: the next deployment without them removes them. */
  fleeting: string[];
}

const Stage = v.optional(
  v.pipe(
    v.string(),
    v.regex(/^[a-z][a-z\d]{0,15}$/, 'must be up to 16 lower-case letters and digits'),
    // It would be a second system beside that of no name, with the same settings.
    v.notValue('default', 'is what a deployment without a stage is called: leave it out'),
  ),
);

/** Other words for a setting. */
const aliases: Record<string, string> = { publicUrl: 'PUBLIC_URL' };
const known = new Set([...Object.keys(deployment), ...Object.keys(settings), 'MAIL_FROM']);

/**
 * The settings of a stage: its file in a folder, if any, and over it the context, as the command line gives it. Raises ContextProblem
 * for a setting that is none of its kind, is for the local system alone, or stands in the file and is not known.
 */
export function settingsOf(context: (name: string) => unknown, stages: string | undefined): StageSettings {
  const stage = parsed(Stage, textOf(context('stage')), 'stage');
  const kept = stages === undefined ? {} : keptSettings(join(stages, `${stage ?? 'default'}.json`));
  const ofContext = (name: string) => textOf(context(name)) ?? given(name, (alias) => textOf(context(alias)));
  const text = (name: string) => ofContext(name) ?? kept[name];
  for (const name of Object.keys(localSettings))
    if (text(name) !== undefined) throw refused(name, 'it is for the local system alone');
  if (text('TELEGRAM_API_HASH') !== undefined)
    throw refused('TELEGRAM_API_HASH', 'is a secret: keep it in SSM and name it by telegramApiHashParameter');
  const named = deploymentSettings(text);
  if ((text('TELEGRAM_API_ID') === undefined) !== (named.telegramApiHashParameter === undefined))
    throw refused('TELEGRAM_API_ID', 'takes a telegramApiHashParameter, and the other way round');
  const { mailDomain, domainName } = named;
  return {
    stage,
    deployment: { ...named, mailFrom: text('MAIL_FROM') ?? (mailDomain && `crm@${mailDomain}`) },
    environment: { ...(domainName && { PUBLIC_URL: `https://${domainName}` }), ...operatorSettings(text) },
    fleeting: [...known].filter((name) => ofContext(name) !== undefined && ofContext(name) !== kept[name]),
  };
}

function given(name: string, read: (alias: string) => string | undefined): string | undefined {
  const [alias] = Object.entries(aliases).find(([, meant]) => meant === name) ?? [];
  return alias && read(alias);
}

function keptSettings(path: string): Record<string, string> {
  if (!existsSync(path)) return {};
  const content = v.safeParse(
    v.record(v.string(), v.union([v.string(), v.number(), v.boolean()])),
    JSON.parse(readFileSync(path, 'utf8')),
  );
  if (!content.success) throw new ContextProblem(`${path}: must be an object of texts, numbers, and booleans`);
  return Object.fromEntries(
    Object.entries(content.output).map(([alias, value]) => {
      const name = aliases[alias] ?? alias;
      if (!known.has(name)) throw new ContextProblem(`${path}: there is no setting ${alias}`);
      return [name, String(value)];
    }),
  );
}

function deploymentSettings(text: (name: string) => string | undefined) {
  const named = Object.fromEntries(Object.keys(deployment).map((name) => [name, text(name)]));
  const { success, output, issues } = v.safeParse(Deployment, named);
  if (!success) throw refused(v.getDotPath(issues[0]) as string, issues[0].message);
  const { domainName, certificateArn, hostedZone, tableName, tableStreamArn } = output;
  if (domainName && !certificateArn && !hostedZone)
    throw refused('domainName', 'takes a certificateArn or a hostedZone');
  if ((certificateArn || hostedZone) && !domainName) throw refused('domainName', 'is what the certificate is for');
  if (hostedZone && domainName && !`.${domainName}`.endsWith(`.${hostedZone.split(':')[1]}`))
    throw refused('hostedZone', 'must be one that the domain lies in');
  if ((tableName === undefined) !== (tableStreamArn === undefined))
    throw refused('tableName', 'takes a tableStreamArn, and the other way round');
  if (tableStreamArn && !tableStreamArn.includes(`:table/${tableName}/stream/`))
    throw refused('tableStreamArn', 'must be the stream of tableName');
  return output;
}

/** Returns the settings that the operator has set. The code that reads a setting has its default. */
function operatorSettings(text: (name: string) => string | undefined): Record<string, string> {
  const chosen = Object.entries(settings).flatMap(([name, schema]) => {
    const value = text(name);
    if (value === undefined) return [];
    parsed(schema as v.GenericSchema, value, name);
    return [[name, value]];
  });
  return Object.fromEntries(chosen);
}

function parsed<Schema extends v.GenericSchema>(schema: Schema, value: unknown, name: string): v.InferOutput<Schema> {
  const { success, output, issues } = v.safeParse(schema, value);
  if (!success) throw refused(name, issues[0].message);
  return output;
}

const refused = (name: string, why: string) => new ContextProblem(`context ${name}: ${why}`);

const textOf = (value: unknown) => (value === undefined || value === null || value === '' ? undefined : String(value));
