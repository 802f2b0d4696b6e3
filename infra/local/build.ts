import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { runApart } from './apart.ts';
import type { SynthesisInput } from './build/synthesis.ts';
import { closeToOthers } from './files.ts';
import { lockFile } from './lock.ts';

const root = join(import.meta.dirname, '../..');
const cache = join(root, 'node_modules/.cache/crm-local');
/** A build that nobody has used for so long is thrown away; who runs one uses it more often. */
const keepMs = 3_600_000;
const useEveryMs = keepMs / 6;

/** Folders that a build is made of. */
export const sourceFolders = ['lib', 'functions', 'infra', 'client', 'panel'];
const otherSources = ['package-lock.json', 'cdk.json', 'openapi.json', 'CHANGELOG.md', 'docs/mcp.md'];

/** Bundles and synthesises the project, unless that was done before with the same sources. Returns the cloud assembly's folder. */
export async function buildAssembly(settings: Record<string, string>): Promise<string> {
  const build = await buildOnce(settings, (folder) =>
    synthesiseApart({ outdir: join(folder, 'cdk.out'), bundles: join(folder, 'functions'), settings }),
  );
  return join(build, 'cdk.out');
}

/**
 * Returns the folder that `make` fills for an input and the sources as they are. It is made once: the next one with the same finds it, and
 * another at the same time waits for it.
 */
export async function buildOnce(input: object, make: (folder: string) => Promise<void>): Promise<string> {
  const build = join(cache, digestOf(input));
  if (isFinished(build)) return build;
  // Operator settings stand in the templates, secrets of the operator's among them.
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  closeToOthers(cache);
  discardOld();
  const lock = `${build}.lock`;
  using _ = await lockFile(lock);
  touch(lock);
  if (isFinished(build)) return build;
  // An interrupted build may have left files.
  rmSync(build, { recursive: true, force: true });
  await make(build);
  writeFileSync(finishedFile(build), '');
  return build;
}

const finishedFile = (build: string) => join(build, 'finished');

function isFinished(build: string): boolean {
  if (!existsSync(finishedFile(build))) return false;
  touch(build);
  return true;
}

/** Keeps the assembly that runs from being thrown away by another start. Returns how to stop. */
export function keepInUse(assembly: string): () => void {
  const timer = setInterval(() => {
    // Somebody may install the dependencies anew, beside which it lies; what runs is loaded already, or fails by itself.
    if (existsSync(assembly)) touch(dirname(assembly));
  }, useEveryMs).unref();
  return () => clearInterval(timer);
}

const touch = (path: string) => utimesSync(path, new Date(), new Date());

async function synthesiseApart(input: SynthesisInput): Promise<void> {
  const { CDK_OUTDIR: _, ...environment } = process.env;
  // Whether CloudFormation would take the templates is for npm run synth to say; it takes longer than all the rest.
  const env = { ...environment, CDK_VALIDATION: 'false' };
  await runApart(new URL('./build/synthesis.ts', import.meta.url), env, input);
}

function digestOf(input: object): string {
  const hash = createHash('sha256').update(JSON.stringify(Object.entries(input).sort()));
  const sources = globSync(
    sourceFolders.map((folder) => `${folder}/**/*.*`),
    { cwd: root },
  )
    .filter((path) => !path.startsWith('infra/local/') || path.startsWith('infra/local/build'))
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
    // Another start may be throwing it away too.
    const found = statSync(path, { throwIfNoEntry: false });
    if (found && found.mtimeMs < Date.now() - keepMs) rmSync(path, { recursive: true, force: true });
  }
}
