import { mkdirSync, readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** How far a stream has been read, kept across restarts. */
export interface Checkpoint {
  read(): string | undefined;
  write(sequenceNumber: string): void;
  /** Resolves once what was written is kept. */
  saved(): Promise<void>;
}

/** A busy stream is not held up by its file; who reads it from a little earlier meets what is done. */
const gatherMs = 100;

/** A checkpoint in a file; one that was written for another stream does not count. */
export function fileCheckpoint(path: string, streamArn: string): Checkpoint {
  mkdirSync(dirname(path), { recursive: true });
  let position = load(path, streamArn);
  let saving: Promise<void> | undefined;
  const save = async () => {
    for (let kept: string | undefined; kept !== position; ) {
      await sleep(gatherMs);
      kept = position;
      await writeFile(`${path}.part`, JSON.stringify({ streamArn, sequenceNumber: kept }));
      await rename(`${path}.part`, path);
    }
  };
  return {
    read: () => position,
    write(sequenceNumber) {
      position = sequenceNumber;
      saving ??= save()
        .catch((error: Error) => process.emitWarning(error))
        .finally(() => {
          saving = undefined;
        });
    },
    saved: async () => saving,
  };
}

function load(path: string, streamArn: string): string | undefined {
  try {
    const saved = JSON.parse(readFileSync(path, 'utf8'));
    return saved.streamArn === streamArn ? saved.sequenceNumber : undefined;
  } catch {
    return undefined;
  }
}
