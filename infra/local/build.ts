import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { SynthesisInput } from './build/synthesis.ts';

const root = join(import.meta.dirname, '../..');
const cache = join(root, 'node_modules/.cache/crm-local');
const keepMs = 3 * 86_400_000;

/** What a build is made of. */
export const sourceFolders = ['lib', 'functions', 'infra'];
const otherSources = ['package-lock.json', 'cdk.json', 'openapi.json'];

/** Bundles and synthesises the project, unless that was done before with the same sources. Returns the cloud assembly's folder. */
export async function buildAssembly(settings: Record<string, string>): Promise<string> {
  const assembly = join(cache, digestOf(settings));
  if (existsSync(assembly)) {
    const now = new Date();
    utimesSync(assembly, now, now);
    return assembly;
  }
  mkdirSync(cache, { recursive: true });
  discardOld();
  const unfinished = `${assembly}.${process.pid}.${Date.now()}`;
  try {
    await synthesiseInThread({ outdir: unfinished, bundles: `${unfinished}.bundles`, settings });
    if (!existsSync(assembly)) renameSync(unfinished, assembly);
  } finally {
    for (const path of [unfinished, `${unfinished}.bundles`]) rmSync(path, { recursive: true, force: true });
  }
  return assembly;
}

function synthesiseInThread(input: SynthesisInput): Promise<void> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL('./build/synthesis.ts', import.meta.url), { workerData: input, stdout: true });
    thread.once('error', reject);
    thread.once('exit', () => resolve());
  });
}

function digestOf(settings: Record<string, string>): string {
  const hash = createHash('sha256').update(JSON.stringify(Object.entries(settings).sort()));
  const sources = globSync(
    sourceFolders.map((folder) => `${folder}/**/*.*`),
    { cwd: root },
  )
    .filter((path) => !path.startsWith('infra/local/') || path.startsWith('infra/local/build/'))
    .sort();
  for (const path of [...sources, ...otherSources]) {
    const file = join(root, path);
    if (existsSync(file) && statSync(file).isFile()) hash.update(`${path}\0`).update(readFileSync(file)).update('\0');
  }
  return hash.digest('hex').slice(0, 24);
}

function discardOld(): void {
  for (const name of globSync('*', { cwd: cache })) {
    const path = join(cache, name);
    if (statSync(path).mtimeMs < Date.now() - keepMs) rmSync(path, { recursive: true, force: true });
  }
}
