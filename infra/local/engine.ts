import { randomInt } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Changes, polledChanges, watchedChanges } from './engine/changes.ts';
import { type Listener, startGuard, type Target } from './engine/guard.ts';
import { runEngine } from './engine/process.ts';
import { findEngine } from './engine/program.ts';
import { indexStreamRecords } from './engine/stream-index.ts';
import type { Guarded } from './guard.ts';

export interface Engine {
  /** Name of the engine, for the developer who starts it. */
  name: string;
  /** URL for every caller: the guard. */
  url: string;
  /** URL for functions: a guard that notes their calls. */
  functionsUrl: string;
  /** URL for this system: the engine directly, without the hop through the guard. */
  innerUrl: string;
  changes: Changes;
  stop(): Promise<void>;
}

export interface EngineSettings extends Guarded {
  /** Another DynamoDB, in place of the bundled engine. */
  endpoint: string | undefined;
  folder: string;
  /** Is told what is asked at the guard. */
  hear?: Listener;
  onGivenUp(error: Error): void;
}

/** Starts the DynamoDB that keeps its data in `folder`, behind a guard, or takes the one at `endpoint`. */
export async function startEngine({
  endpoint,
  folder,
  hear = () => {},
  onGivenUp,
  ...guarded
}: EngineSettings): Promise<Engine> {
  if (endpoint) {
    const guard = await startGuard(guarded, targetOf(endpoint), hear);
    return {
      name: 'DYNAMODB_ENDPOINT',
      url: endpoint,
      functionsUrl: guard.url,
      innerUrl: endpoint,
      changes: polledChanges,
      stop: () => guard.close(),
    };
  }
  const program = findEngine();
  mkdirSync(folder, { recursive: true });
  const host = hiddenHost();
  const engine = await runEngine({ program, host, folder, onGivenUp });
  const guard = await startGuard(guarded, { host, port: engine.port }, hear);
  if (program.database) indexStreamRecords(join(folder, program.database));
  const changes = program.database ? watchedChanges(folder) : polledChanges;
  return {
    name: program.name,
    url: guard.url,
    functionsUrl: guard.url,
    innerUrl: `http://${host}:${engine.port}`,
    changes,
    async stop() {
      changes.close();
      await guard.close();
      await engine.stop();
    },
  };
}

function targetOf(endpoint: string): Target {
  const { protocol, hostname: host, port } = new URL(endpoint);
  const isTls = protocol === 'https:';
  return { host, port: Number(port || (isTls ? 443 : 80)), isTls };
}

/**
 * The engine itself answers any origin, host and signature, and knows no sockets but TCP's. On Linux the whole of 127.0.0.0/8
 * is loopback: with the port that makes 2^37 places where a web page would have to look for it. Elsewhere there is one.
 */
const hiddenHost = () =>
  process.platform === 'linux' ? `127.${randomInt(1, 255)}.${randomInt(0, 256)}.${randomInt(1, 255)}` : '127.0.0.1';
