// A process of its own: Node loads the functions and the CDK in a fraction of the time that Vitest takes, and once for all variants.

import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildApp } from '#infra/app.ts';
import { bundleFunctions } from '#infra/bundle.ts';
import { loadRoutes, loadWorkers } from '#infra/functions.ts';
import { contextOfProject } from '#infra/synth.ts';

export interface SynthesisInput {
  /** The functions go to `dist` in it, each cloud assembly to the name of its variant. */
  folder: string;
  variants: Record<string, Record<string, string>>;
  /** Functions without their code take no time to build. */
  hasCode: boolean;
}

process.once('disconnect', () => process.exit());
const [{ folder, variants, hasCode }] = (await once(process, 'message')) as [SynthesisInput];
const [routes, workers, context] = await Promise.all([loadRoutes(), loadWorkers(), contextOfProject()]);
const functions = [...routes, ...workers];
const bundles = join(folder, 'dist');
if (hasCode) await bundleFunctions(functions, bundles);
else await Promise.all(functions.map(({ name }) => writeWithoutCode(name)));
for (const [name, settings] of Object.entries(variants))
  buildApp({ routes, workers, bundles, outdir: join(folder, name), context: { ...context, ...settings } }).synth();
process.disconnect();

async function writeWithoutCode(name: string): Promise<void> {
  await mkdir(join(bundles, name), { recursive: true });
  await writeFile(join(bundles, name, 'index.mjs'), `// the code of ${name}`);
}
