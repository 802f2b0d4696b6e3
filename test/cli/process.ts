import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import { eventually } from '#test/client.ts';
import { place } from '#test/place.ts';

const program = join(import.meta.dirname, '../../cli/crm.js');

export interface Surroundings {
  key?: string | undefined;
  /** The tests' system unless said. */
  url?: string;
  env?: Record<string, string>;
  cwd?: string;
  input?: string | Buffer;
}

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Nothing of the test's own environment that the command line reads. */
export function surroundings({ key, url = place('baseUrl'), env = {} }: Surroundings): NodeJS.ProcessEnv {
  const { CRM_API_KEY, CRM_API_URL, CRM_WEBHOOK_SECRET, DATA_DIR, NO_COLOR, ...rest } = process.env;
  return { ...rest, CRM_API_URL: url, ...(key !== undefined && { CRM_API_KEY: key }), ...env };
}

const spawned = (args: readonly string[], given: Surroundings) =>
  spawn(process.execPath, [program, ...args], { cwd: given.cwd ?? process.cwd(), env: surroundings(given) });

/** Whether this machine can give a program a terminal. */
export const hasTerminals = (() => {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux');
  } catch {
    return false;
  }
})();

/** Starts it on a terminal of its own. */
export const onTerminal = (args: readonly string[], given: Surroundings = {}) =>
  spawn('script', ['-qec', [process.execPath, program, ...args].join(' '), '/dev/null'], { env: surroundings(given) });

/** Runs it to its end. */
export async function crm(args: readonly string[], given: Surroundings = {}): Promise<Ended> {
  const child = spawned(args, given);
  child.stdin.on('error', () => undefined);
  child.stdin.end(given.input ?? '');
  return ended(child, collected(child));
}

/** Starts it; it is ended with the block. */
export function started(args: readonly string[], given: Surroundings = {}) {
  const child = spawned(args, given);
  const texts = collected(child);
  const end = ended(child, texts);
  const lines = () => texts.stdout.split('\n').slice(0, -1);
  return {
    child,
    texts,
    lines,
    /** Of standard output with --json. */
    // biome-ignore lint/suspicious/noExplicitAny: a test asserts what it is.
    values: (): any[] => lines().map((line) => JSON.parse(line)),
    says: (text: string) =>
      eventually(
        async () => `${texts.stdout}${texts.stderr}`.includes(text),
        `"${text}" in ${texts.stdout}${texts.stderr}`,
      ),
    interrupt(): Promise<Ended> {
      child.kill('SIGINT');
      return end;
    },
    end,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await end;
    },
  };
}

function collected(child: ChildProcessWithoutNullStreams) {
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8');
    child[name].on('data', (chunk: string) => {
      texts[name] += chunk;
    });
  }
  return texts;
}

const ended = (child: ChildProcessWithoutNullStreams, texts: { stdout: string; stderr: string }) =>
  new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, ...texts })));
