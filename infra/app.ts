import { Annotations, App } from 'aws-cdk-lib';
import type { RouteFunction, WorkerFunction } from '#infra/functions.ts';
import { pascalCase } from './names.ts';
import { settingsOf } from './settings.ts';
import { ApiStack } from './stacks/api.ts';
import { DataStack } from './stacks/data.ts';

export interface AppInput {
  routes: readonly RouteFunction[];
  workers: readonly WorkerFunction[];
  /** The folder that `bundleFunctions` wrote. */
  bundles: string;
  context: Record<string, unknown>;
  /** Where the settings of stages lie; without it there are those of the context alone. */
  stages?: string | undefined;
  outdir?: string;
}

/**
 * The CDK app: CrmData, which stays, and CrmApi, which each deployment replaces; of a stage CrmDevData and CrmDevApi: no name of one is
 * what that of another begins with.
 */
export function buildApp({ routes, workers, bundles, context, stages, outdir }: AppInput): App {
  const app = new App({ context, analyticsReporting: false, ...(outdir === undefined ? {} : { outdir }) });
  const { stage, deployment, environment, fleeting } = settingsOf((name) => app.node.tryGetContext(name), stages);
  const name = (part: string) => `Crm${pascalCase(stage ?? '')}${part}`;
  const tags = { application: 'crm-api', stage: stage ?? 'default' };
  const data = new DataStack(app, name('Data'), { publicUrl: environment['PUBLIC_URL'], tags });
  const api = new ApiStack(app, name('Api'), { data, routes, workers, bundles, environment, deployment, tags });
  if (stages !== undefined && fleeting.length > 0)
    Annotations.of(api).addWarningV2('crm-api:fleeting-settings', ofCommandLine(fleeting, stage ?? 'default'));
  return app;
}

const ofCommandLine = (names: readonly string[], stage: string) =>
  `${names.join(', ')}: the next deployment without it takes it away again: keep it in stages/${stage}.json`;
