import { App } from 'aws-cdk-lib';
import * as v from 'valibot';
import type { RouteFunction, WorkerFunction } from '#infra/functions.ts';
import { localSettings, number, settings, wholeNumber } from '#lib/env.ts';
import { ApiStack } from './stacks/api.ts';
import { DataStack } from './stacks/data.ts';

export interface AppInput {
  routes: readonly RouteFunction[];
  workers: readonly WorkerFunction[];
  /** The folder that `bundleFunctions` wrote. */
  bundles: string;
  context: Record<string, unknown>;
  outdir?: string;
}

/** A setting that the operator can mend: shown in one line, without a stack trace. */
export class ContextProblem extends Error {}

/** The CDK app: CrmData, which stays, and CrmApi, which each deployment replaces. */
export function buildApp({ routes, workers, bundles, context, outdir }: AppInput): App {
  const app = new App({ context, analyticsReporting: false, ...(outdir === undefined ? {} : { outdir }) });
  const text = (name: string) => textOf(app.node.tryGetContext(name));
  const mailDomain = text('mailDomain');
  new ApiStack(app, 'CrmApi', {
    data: new DataStack(app, 'CrmData'),
    routes,
    workers,
    bundles,
    environment: operatorSettings(text),
    ...deploymentSettings(text),
    alarmEmail: text('alarmEmail'),
    mailDomain,
    eventBus: eventBusOf(text('eventBus')),
    mailFrom: text('MAIL_FROM') ?? (mailDomain && `crm@${mailDomain}`),
  });
  return app;
}

/** What shapes the deployment and no function reads. */
export const deployment = v.object({
  accountConcurrency: v.optional(wholeNumber(1), '1000'),
  requestsPerSecond: v.optional(wholeNumber(1), '2000'),
  monthlyBudget: v.optional(number(1)),
  alarmWriteUnits: v.optional(wholeNumber(1), '1000000'),
  alarmReadUnits: v.optional(wholeNumber(1), '5000000'),
  alarmInvocations: v.optional(wholeNumber(1), '1000000'),
});

/** The name of a bus in this account and region. */
const busName = v.pipe(v.string(), v.regex(/^[\w./-]{1,256}$/, 'must be the name of an event bus'));

function eventBusOf(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const { success, output, issues } = v.safeParse(busName, given);
  if (!success) throw refused('eventBus', issues[0].message);
  return output;
}

function deploymentSettings(text: (name: string) => string | undefined) {
  const given = Object.fromEntries(Object.keys(deployment.entries).map((name) => [name, text(name)]));
  const parsed = v.safeParse(deployment, given);
  if (!parsed.success) throw refused(v.getDotPath(parsed.issues[0]) as string, parsed.issues[0].message);
  const { accountConcurrency, requestsPerSecond, monthlyBudget, ...limits } = parsed.output;
  return { accountConcurrency, requestsPerSecond, limits: { ...limits, monthlyBudget } };
}

/** Those that the operator has set; the default of every other stands in the code that reads it. */
function operatorSettings(text: (name: string) => string | undefined): Record<string, string> {
  for (const name of Object.keys(localSettings))
    if (text(name) !== undefined) throw refused(name, 'it is for the local system alone');
  const chosen = Object.entries(settings).flatMap(([name, schema]) => {
    const value = text(name) ?? (name === 'PUBLIC_URL' ? text('publicUrl') : undefined);
    if (value === undefined) return [];
    const parsed = v.safeParse(schema as v.GenericSchema, value);
    if (!parsed.success) throw refused(name, parsed.issues[0].message);
    return [[name, value]];
  });
  return Object.fromEntries(chosen);
}

const refused = (name: string, why: string) => new ContextProblem(`context ${name}: ${why}`);

const textOf = (value: unknown) => (value === undefined || value === null || value === '' ? undefined : String(value));
