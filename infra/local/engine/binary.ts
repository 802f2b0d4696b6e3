import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { StartProblem } from '../problem.ts';

/** The engine's executable: from npm where there is one for this platform, else from PATH. */
export function findEngine(): string {
  const candidates = [
    ...fromNpm(),
    ...(process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'dynoxide')),
  ];
  const found = candidates.find(isExecutable);
  if (found) return found;
  throw new StartProblem(
    `no DynamoDB engine for ${process.platform}-${process.arch}: run npm install on linux-x64, put dynoxide ` +
      '(https://github.com/nubo-db/dynoxide) on PATH, or set DYNAMODB_ENDPOINT to a running DynamoDB Local',
  );
}

function fromNpm(): string[] {
  try {
    const { resolve } = createRequire(import.meta.url);
    return [join(dirname(resolve(`@dynoxide/${process.platform}-${process.arch}/package.json`)), 'dynoxide')];
  } catch {
    return [];
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
