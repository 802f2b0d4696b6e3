// A process of its own, so that each build reads the sources afresh and the CDK's memory is free again afterwards.

import { once } from 'node:events';
import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { synthesise } from '#infra/synth.ts';

export interface SynthesisInput {
  outdir: string;
  bundles: string;
  settings: Record<string, string>;
}

// Functions run from the bundles: copies of them in the assembly are only for an upload.
const withoutCopies = { 'aws:cdk:disable-asset-staging': 'true' };

process.once('disconnect', () => process.exit());
const [{ outdir, bundles, settings }] = (await once(process, 'message')) as [SynthesisInput];
await synthesise({ outdir, bundles, settings: { ...settings, ...withoutCopies }, splitting: true });
await Promise.all(globSync('*/*.map', { cwd: bundles }).map((path) => anchor(join(bundles, path))));
process.disconnect();

/** The sources of a map are relative to a folder two below the project's root, which this is not. */
async function anchor(path: string): Promise<void> {
  const sourceRoot = `${pathToFileURL(join(import.meta.dirname, '../../../dist/function')).href}/`;
  await writeFile(path, JSON.stringify({ ...JSON.parse(await readFile(path, 'utf8')), sourceRoot }));
}
