import { mkdirSync, readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** How far a stream has been read, kept across restarts. */
export interface Checkpoint {
  read(shardId: string): string | undefined;
  write(shardId: string, position: string): void;
  /** Forgets the shards that the stream no longer has. */
  keep(shardIds: ReadonlySet<string>): void;
  /** Resolves once what was written is kept. */
  saved(): Promise<void>;
}

/** The position of a shard that is closed and read to its end. */
export const shardEnd = 'SHARD_END';

/** A busy stream is not held up by its file; who reads it from a little earlier meets what is done. */
const gatherMs = 100;

/** A checkpoint in a file; one that was written for another stream does not count. */
export function fileCheckpoint(path: string, streamArn: string): Checkpoint {
  mkdirSync(dirname(path), { recursive: true });
  let positions = load(path, streamArn);
  let saving: Promise<void> | undefined;
  const save = async () => {
    for (let kept: Positions | undefined; kept !== positions; ) {
      await sleep(gatherMs);
      kept = positions;
      await writeFile(`${path}.part`, JSON.stringify({ streamArn, positions: kept }));
      await rename(`${path}.part`, path);
    }
  };
  return {
    read: (shardId) => positions[shardId],
    write(shardId, position) {
      positions = { ...positions, [shardId]: position };
      saving ??= save()
        .catch((error: Error) => process.emitWarning(error))
        .finally(() => {
          saving = undefined;
        });
    },
    keep(shardIds) {
      positions = Object.fromEntries(Object.entries(positions).filter(([shardId]) => shardIds.has(shardId)));
    },
    saved: async () => saving,
  };
}

type Positions = Readonly<Record<string, string>>;

function load(path: string, streamArn: string): Positions {
  try {
    const saved = JSON.parse(readFileSync(path, 'utf8'));
    return saved.streamArn === streamArn ? (saved.positions ?? {}) : {};
  } catch {
    return {};
  }
}
