import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { CloudAssembly } from 'aws-cdk-lib/cx-api';
import { buildApp } from '#infra/app.ts';
import { type BundleSettings, bundleFunctions } from '#infra/bundle.ts';
import { loadRoutes, loadWorkers } from '#infra/functions.ts';
import { ContextProblem } from '#infra/settings.ts';

const root = join(import.meta.dirname, '..');

export interface SynthesiseInput extends BundleSettings {
  /** The cloud assembly goes here; by default where the CDK command line asks for it, or to an emptied `cdk.out`. */
  outdir?: string;
  /** Operator settings and other context, over those of cdk.json. */
  settings?: Record<string, string>;
  /** Where the settings of stages lie; without it there are those of `settings` alone. */
  stages?: string;
  /** Where the bundled functions go. */
  bundles?: string;
}

/** Bundles every function and writes the CloudFormation templates with their assets; needs no network and no credentials. */
export async function synthesise({
  outdir,
  settings,
  stages,
  bundles = join(root, 'dist'),
  splitting = false,
}: SynthesiseInput = {}): Promise<CloudAssembly> {
  const [routes, workers, context] = await Promise.all([loadRoutes(), loadWorkers(), contextOfProject()]);
  await bundleFunctions([...routes, ...workers], bundles, { splitting });
  const folder = outdir ?? process.env['CDK_OUTDIR'] ?? (await emptied(join(root, 'cdk.out')));
  return buildApp({ routes, workers, bundles, stages, outdir: folder, context: { ...context, ...settings } }).synth();
}

async function emptied(folder: string): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  return folder;
}

/** Returns the context that cdk.json has for every deployment. */
export async function contextOfProject(): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(join(root, 'cdk.json'), 'utf8')).context;
}

/** The context of a command line, `-c name=value` as `cdk deploy` takes it. */
export function contextOf(args: string[]): Record<string, string> {
  const pairs = givenContext(args).map((pair) => {
    const [name, ...value] = pair.split('=');
    if (!name || value.length === 0) throw new ContextProblem(`-c ${pair}: must be name=value`);
    return [name, value.join('=')];
  });
  return Object.fromEntries(pairs);
}

function givenContext(args: string[]): string[] {
  try {
    return (
      parseArgs({ args, options: { context: { type: 'string', short: 'c', multiple: true } } }).values.context ?? []
    );
  } catch (error) {
    throw new ContextProblem((error as Error).message);
  }
}

/** Synthesizes the stacks for the CDK command line and `npm run synth`. */
async function main(args: string[]) {
  const { stacks } = await synthesise({ settings: contextOf(args), stages: join(root, 'stages') });
  for (const { level, entry } of stacks.flatMap(({ messages }) => messages))
    process.stderr.write(`${level}: ${entry.data}\n`);
}

if (import.meta.main) {
  await main(process.argv.slice(2)).catch((error) => {
    if (!(error instanceof ContextProblem)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  });
}
