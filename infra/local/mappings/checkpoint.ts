import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** How far a stream has been read, kept across restarts. */
export interface Checkpoint {
  read(): string | undefined;
  write(sequenceNumber: string): void;
}

/** A checkpoint in a file; one that was written for another stream does not count. */
export function fileCheckpoint(path: string, streamArn: string): Checkpoint {
  mkdirSync(dirname(path), { recursive: true });
  let position = load(path, streamArn);
  return {
    read: () => position,
    write(sequenceNumber) {
      position = sequenceNumber;
      writeFileSync(`${path}.part`, JSON.stringify({ streamArn, sequenceNumber }));
      renameSync(`${path}.part`, path);
    },
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
