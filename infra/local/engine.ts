import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findEngine } from './engine/binary.ts';
import { type Changes, polledChanges, watchedChanges } from './engine/changes.ts';
import { runEngine } from './engine/process.ts';
import { indexStreamRecords } from './engine/stream-index.ts';

export interface Engine {
  url: string;
  changes: Changes;
  stop(): Promise<void>;
}

export interface EngineSettings {
  /** Another DynamoDB, in place of the bundled engine. */
  endpoint: string | undefined;
  folder: string;
  onGivenUp(error: Error): void;
}

/** Starts the DynamoDB that keeps its data in `folder`, or takes the one at `endpoint`. */
export async function startEngine({ endpoint, folder, onGivenUp }: EngineSettings): Promise<Engine> {
  if (endpoint) return { url: endpoint, changes: polledChanges, stop: async () => {} };
  const binary = findEngine();
  mkdirSync(folder, { recursive: true });
  const databasePath = join(folder, 'dynamodb.sqlite');
  const engine = await runEngine({ binary, databasePath, onGivenUp });
  indexStreamRecords(databasePath);
  const changes = watchedChanges(folder);
  return {
    url: engine.url,
    changes,
    async stop() {
      changes.close();
      await engine.stop();
    },
  };
}
