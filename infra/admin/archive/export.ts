import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { isDeepStrictEqual } from 'node:util';
import { sleep, timestamp } from '#lib/core/clock.ts';
import { conflict } from '#lib/core/problem.ts';
import { environments, operator, tenantKey } from '#lib/core/tenant.ts';
import { isDead } from '#lib/table/dead-letter.ts';
import { rowKey } from '#lib/table/keys.ts';
import { outboxPrefix } from '#lib/table/outbox.ts';
import { isResting } from '#lib/table/resume.ts';
import { type Row, readRows } from '#lib/table/rows.ts';
import { rowsOfWorkspace } from '#lib/table/scan.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { getWorkspace } from '#lib/workspaces/store.ts';
import { archived, count, noCounts } from './archive.ts';
import { isSaga, sagaOf } from './finish.ts';
import { Digest, sealOf } from './seal.ts';

const attempts = 3;
const pauseMs = 2_000;

/**
 * Writes a workspace, both environments, to a sealed file that `importWorkspace` reads, without keys, secrets, and what only the moment
 * needs. Returns what it holds, in the nouns of the API. Raises 404, and 409 while the workspace changes or has dead letters. Needs the key.
 */
export async function exportWorkspace(id: number, file: string): Promise<Record<string, number>> {
  await getWorkspace(new UnitOfWork({ workspaceId: id, env: 'live' }, operator));
  const partial = `${file}.partial`;
  try {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      if (attempt > 0) await sleep(pauseMs);
      const archive = new Archive(id);
      const before = await changeCount(id);
      await pipeline(archive.lines(), createWriteStream(partial, { mode: 0o600 }));
      if (archive.isWhole && isDeepStrictEqual(before, await changeCount(id))) {
        await rename(partial, file);
        return archive.counts;
      }
    }
  } finally {
    await rm(partial, { force: true });
  }
  throw conflict('workspace_in_use', 'the workspace is being written to: try again when nothing writes to it');
}

/** Returns the rows that every change of a workspace moves on: its id counters and the ends of its feeds. */
async function changeCount(id: number): Promise<Map<string, Row>> {
  const tenants = environments.map((name) => tenantKey({ workspaceId: id, env: name }));
  const keys = [
    ...[String(id), ...tenants].map((scope) => rowKey('ids', { scope })),
    ...tenants.map((tenant) => rowKey('sequence', { tenant })),
  ];
  return readRows(keys);
}

class Archive {
  readonly counts = noCounts();
  /** Nothing of the workspace was half done: an event not yet published, a saga not yet finished. */
  isWhole = true;
  readonly #id: number;
  #rows = 0;

  constructor(id: number) {
    this.#id = id;
  }

  async *lines(): AsyncGenerator<string> {
    const summed = new Digest();
    const line = (value: object) => {
      const text = JSON.stringify(value, plain);
      summed.add(text);
      return `${text}\n`;
    };
    yield line({ format: 'crm-workspace', version: 3, workspaceId: this.#id, exportedAt: timestamp() });
    for await (const row of rowsOfWorkspace(this.#id)) {
      const isEvent = row.pk.startsWith(outboxPrefix);
      if (isEvent ? isDead(row) : isSaga(row) && (await rests(row)))
        throw conflict('dead_letters', 'the workspace has dead letters: run admin dead-letter retry first');
      const isUnfinished = isEvent || isSaga(row);
      if (isUnfinished) this.isWhole = false;
      const kept = isUnfinished ? undefined : archived(this.#id, row);
      if (!kept) continue;
      this.#rows += 1;
      count(this.counts, kept);
      yield line(kept);
    }
    const counted = { rows: this.#rows, counts: this.counts };
    const digest = summed.end(counted);
    yield `${JSON.stringify({ ...counted, digest, seal: await sealOf(this.#id, digest) })}\n`;
  }
}

async function rests(row: Row): Promise<boolean> {
  const { tenant, saga } = sagaOf(row);
  return isResting(tenant, saga);
}

/** Rows hold what JSON holds; anything else would be lost without a word. */
function plain(name: string, value: unknown): unknown {
  if (value instanceof Set || value instanceof Uint8Array) throw new Error(`${name} cannot be written as JSON`);
  return value;
}
