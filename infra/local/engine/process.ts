import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
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

/** Runs the engine on a free port, and again on the same port whenever it crashes. */
export async function runEngine({
  binary,
  host,
  databasePath,
  onGivenUp,
}: EngineProcessSettings): Promise<EngineProcess> {
  const port = await freePort(host);
  const args = ['--host', host, '--port', String(port), '--db-path', databasePath];
  const crashes: number[] = [];
  let isStopping = false;
  let running = await launch(binary, args);

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

function freePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, host, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
