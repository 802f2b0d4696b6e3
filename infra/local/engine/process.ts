import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartProblem } from '../problem.ts';
import type { Place, Program } from './program.ts';

export interface EngineProcess {
  port: number;
  stop(): Promise<void>;
}

export interface EngineProcessSettings {
  program: Program;
  host: string;
  folder: string;
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

const maxCrashes = 5;
const crashWindowMs = 60_000;

/** Runs the engine on a free port of `candidates`, and again on the same port whenever it crashes. */
export async function runEngine({
  program,
  host,
  folder,
  onGivenUp,
  candidates = randomPorts(),
}: EngineProcessSettings): Promise<EngineProcess> {
  const launchOn = (port: number) => launch(program, { host, port, folder });
  const { port, engine } = await launchOnFreePort(launchOn, host, candidates);
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
      running = await launchOn(port).catch(() => running);
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
async function launch(program: Program, place: Place): Promise<Running> {
  const { says, startTimeoutMs } = program;
  const command = [program.command, ...program.args(place)];
  const [shell = '', ...args] =
    process.platform === 'win32'
      ? [process.execPath, join(import.meta.dirname, 'watchdog.ts'), ...command]
      : ['sh', '-c', watchdog, 'engine', ...command];
  // A process group of its own: Ctrl-C is for us, and the engine goes last.
  const child = spawn(shell, args, { detached: true, stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
  let lastLine = 'it said nothing';
  const saying = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      createInterface(stream).on('line', (line) => {
        if (line.trim() !== '') lastLine = line.trim();
        if (says?.test(line)) resolve();
      });
    }
  });
  const exited = once(child, 'close').then(() => {});
  const running = { exited, lastWords: () => lastLine, end: () => endOf(child) };
  const isOver = new AbortController();
  const outcome = await Promise.race([
    says ? saying.then(() => 'listening' as const) : reachable(place, isOver.signal),
    exited.then(() => 'exited' as const),
    sleep(startTimeoutMs, 'late' as const, { ref: false }),
  ]);
  isOver.abort();
  if (outcome === 'listening') return running;
  running.end();
  throw new StartProblem(`the DynamoDB engine does not start on port ${place.port}: ${running.lastWords()}`);
}

/** Resolves when somebody listens there. */
async function reachable({ host, port }: Place, signal: AbortSignal): Promise<'listening'> {
  while (!signal.aborted) {
    const socket = connect(port, host);
    const isThere = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isThere) break;
    await sleep(50, undefined, { ref: false });
  }
  return 'listening';
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

async function launchOnFreePort(
  launchOn: (port: number) => Promise<Running>,
  host: string,
  candidates: Iterable<number>,
) {
  let refusal: unknown = new StartProblem('the DynamoDB engine finds no free port');
  for (const port of candidates) {
    if (!(await isFree(host, port))) continue;
    try {
      return { port, engine: await launchOn(port) };
    } catch (error) {
      if (!(error instanceof StartProblem && /already in use/i.test(error.message))) throw error;
      refusal = error;
    }
  }
  throw refusal;
}

/** Returns whether a port is free. Another program on it would be taken for an engine that is only known by its connections. */
async function isFree(host: string, port: number): Promise<boolean> {
  const server = createServer().listen(port, host);
  const isOurs = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (isOurs) await new Promise((resolve) => server.close(resolve));
  return isOurs;
}
