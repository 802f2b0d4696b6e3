import { join } from 'node:path';
import { type Engine, startEngine } from '#infra/local/engine.ts';
import { createDataDir, credentialsOf } from '#infra/local/files.ts';

/** A DynamoDB engine outside of the local system with this folder, which reaches it at `DYNAMODB_ENDPOINT`. */
export function startOwnEngine(dataDir: string): Promise<Engine> {
  createDataDir(dataDir);
  const { accessKeyId } = credentialsOf(dataDir);
  const fail = (error: Error) => {
    throw error;
  };
  const own = { host: '127.0.0.1', port: 0, accessKeyId, folder: join(dataDir, 'engine') };
  return startEngine({ ...own, endpoint: undefined, onGivenUp: fail });
}
