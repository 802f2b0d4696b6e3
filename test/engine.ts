import { join } from 'node:path';
import { Contention } from '#infra/local/contention.ts';
import { type Engine, startEngine } from '#infra/local/engine.ts';
import { createDataDir, credentialsOf } from '#infra/local/files.ts';
import { startGuard } from '#infra/local/guard.ts';

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

/** A way to DynamoDB on which a transaction has its items in hand for so long; others that touch them are refused. */
export function startSlowTransactions(url: string, transactionMs: number) {
  const { hostname: host, port } = new URL(url);
  const accessKeyId = String(process.env['AWS_ACCESS_KEY_ID']);
  const target = { host, port: Number(port) };
  return startGuard({ host: '127.0.0.1', port: 0, accessKeyId }, target, new Contention({ transactionMs }));
}
