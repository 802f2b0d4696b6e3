import { App } from 'aws-cdk-lib';
import * as v from 'valibot';
import type { RouteFunction, WorkerFunction } from '#infra/functions.ts';
import { settings } from '#lib/env.ts';
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
    alarmEmail: text('alarmEmail'),
    mailDomain,
    mailFrom: text('MAIL_FROM') ?? (mailDomain && `crm@${mailDomain}`),
  });
  return app;
}

/** Those that the operator has set; the default of every other stands in the code that reads it. */
function operatorSettings(text: (name: string) => string | undefined): Record<string, string> {
  const chosen = Object.entries(settings).flatMap(([name, schema]) => {
    const value = text(name);
    if (value === undefined) return [];
    const parsed = v.safeParse(schema as v.GenericSchema, value);
    if (!parsed.success) throw new Error(`context ${name}: ${parsed.issues[0].message}`);
    return [[name, value]];
  });
  return Object.fromEntries(chosen);
}

const textOf = (value: unknown) => (value === undefined || value === null || value === '' ? undefined : String(value));
