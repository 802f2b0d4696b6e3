import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartProblem } from '../problem.ts';

export interface EngineProcess {
  port: number;
  stop(): Promise<void>;
}

export interface EngineProcessSettings {
  binary: string;
  host: string;
  databasePath: string;
  /** It crashed again and again. */
  onGivenUp(error: Error): void;
  /** Ports to try, in order. */
  candidates?: Iterable<number>;
}

// The engine must not outlive us, even after a kill -9: the watcher's read ends when our side of the pipe is gone.
const watchdog = `
exec 3<&0
"$@" 3<&- </dev/null &
engine=$!
{
  read -r _ <&3
  kill $engine
  for _ in 1 2 3 4 5 6 7 8 9 10; do sleep 0.2; kill -0 $engine || exit; done
  kill -9 $engine
} >/dev/null 2>&1 &
watcher=$!
wait $engine
status=$?
kill $watcher 2>/dev/null
exit $status
`;

const startTimeoutMs = 10_000;
const maxCrashes = 5;
const crashWindowMs = 60_000;

/** Runs the engine on a free port of `candidates`, and again on the same port whenever it crashes. */
export async function runEngine({
  binary,
  host,
  databasePath,
  onGivenUp,
  candidates = randomPorts(),
}: EngineProcessSettings): Promise<EngineProcess> {
  const argsOn = (port: number) => ['--host', host, '--port', String(port), '--db-path', databasePath];
  const { port, engine } = await launchOnFreePort(binary, argsOn, candidates);
  const args = argsOn(port);
  const crashes: number[] = [];
  let isStopping = false;
  let running = engine;

  const superviseForever = async () => {
    for (;;) {
      await running.exited;
      if (isStopping) return;
      crashes.push(Date.now());
      if (crashes.filter((at) => at > Date.now() - crashWindowMs).length > maxCrashes) {
        return onGivenUp(new Error(`the DynamoDB engine keeps crashing: ${running.lastWords()}`));
      }
      await sleep(100 * crashes.length);
      if (isStopping) return;
      running = await launch(binary, args).catch(() => running);
    }
  };
  const supervised = superviseForever();

  return {
    port,
    async stop() {
      isStopping = true;
      running.end();
      await supervised;
    },
  };
}

interface Running {
  exited: Promise<void>;
  lastWords(): string;
  end(): void;
}

/** Resolves when the engine listens. */
async function launch(binary: string, args: string[]): Promise<Running> {
  // A process group of its own: Ctrl-C is for us, and the engine goes last.
  const child = spawn('sh', ['-c', watchdog, 'engine', binary, ...args], {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let lastLine = 'it said nothing';
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const listening = new Promise<void>((resolve) => {
    const read = (stream: NodeJS.ReadableStream) =>
      createInterface(stream).on('line', (line) => {
        if (line.trim() !== '') lastLine = line.trim();
        if (/listening on/i.test(line)) resolve();
      });
    read(child.stdout);
    read(child.stderr);
  });
  const running = { exited, lastWords: () => lastLine, end: () => endOf(child) };
  const outcome = await Promise.race([
    listening.then(() => 'listening' as const),
    exited.then(() => 'exited' as const),
    sleep(startTimeoutMs, 'late' as const, { ref: false }),
  ]);
  if (outcome === 'listening') return running;
  running.end();
  throw new StartProblem(`the DynamoDB engine does not start on ${args.at(-1)}: ${lastLine}`);
}

function endOf(child: ChildProcess): void {
  child.stdin?.on('error', () => {});
  child.stdin?.end();
}

/**
 * The engine cannot be told to take any free port. Those that the system hands out by itself (32768 and above) are left
 * alone: whatever listens or connects beside us would take ours before the engine has it, or while it restarts.
 */
function* randomPorts(attempts = 20): Generator<number> {
  for (let attempt = 0; attempt < attempts; attempt++) yield randomInt(20_000, 32_768);
}

async function launchOnFreePort(binary: string, argsOn: (port: number) => string[], candidates: Iterable<number>) {
  let refusal: unknown = new StartProblem('the DynamoDB engine finds no free port');
  for (const port of candidates) {
    try {
      return { port, engine: await launch(binary, argsOn(port)) };
    } catch (error) {
      if (!(error instanceof StartProblem && /already in use/i.test(error.message))) throw error;
      refusal = error;
    }
  }
  throw refusal;
}
