import { after, minuteMs, now, secondMs, shifted, timestamp } from '#lib/core/clock.ts';
import { log } from '#lib/core/log.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { importTimeoutSeconds } from '#lib/core/timeouts.ts';
import { type ImportRow, ImportRows, Imports, type StoredImport } from '#lib/entities/import.ts';
import { entityPartition } from '#lib/table/entity.ts';
import { sortableId } from '#lib/table/keys.ts';
import { leases } from '#lib/table/lease.ts';
import { flatten, pages } from '#lib/table/pages.ts';
import { parseStored } from '#lib/table/stored.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { passTurn, undoMs } from './store.ts';

/** A run ends in time for what follows its last row. */
const runMs = 10 * minuteMs;
/** A run that died lets go of its import in time; one that goes on renews it before. */
const leaseMs = 3 * minuteMs;
const renewMs = minuteMs;
const progressMs = secondMs;
/** Runs without any progress, after which an import fails. */
const maxTries = 5;
/** An import that has not ended by then fails: its file and the outcomes of its rows are not kept for longer. */
const longestMs = undoMs;

if (runMs + 2 * minuteMs > importTimeoutSeconds * secondMs)
  throw new Error('a run of an import is longer than its worker');

const runs = leases({ until: 'leasedUntil', at: (epochMs) => timestamp(new Date(epochMs)), owner: 'runBy' });

/** The run has lost its import to another one. */
export class Lost extends Error {}

/** Takes the import for a run, if it has work and nobody else has it. */
export async function beginRun(tenant: Tenant, id: number): Promise<Run | undefined> {
  const row = await transact(tenant, system, async (tx) => {
    const found = await tx.find(Imports, { id });
    const nowMs = Date.parse(tx.now);
    if (!found || found.work === null || found.isWaiting || !runs.isFree(found, nowMs)) return undefined;
    if (found.leasedUntil === null && (found.nextRunAt === null || found.nextRunAt > tx.now)) return undefined;
    return tx.update(Imports, {
      ...found,
      status: found.status === 'queued' ? 'running' : found.status,
      startedAt: found.startedAt ?? tx.now,
      tries: found.tries + 1,
      ...runs.taken(nowMs + leaseMs),
    });
  });
  return row && new Run(tenant, row);
}

const countsOf = ({ place, processed, created, updated, skipped, failed, archived, restored, kept }: StoredImport) => ({
  ...{ place, processed, created, updated, skipped, failed, archived, restored, kept },
});
type Counts = ReturnType<typeof countsOf>;
export type RowEnding = 'created' | 'updated' | 'skipped' | 'failed';

/** One run of an import. */
export class Run {
  readonly tenant: Tenant;
  readonly #untilMs = now() + runMs;
  #row: StoredImport;
  #counts: Counts;
  #toldAt = now();
  #renewedAt = now();
  #telling: Promise<void> | undefined;
  #isOver = false;

  constructor(tenant: Tenant, row: StoredImport) {
    this.tenant = tenant;
    this.#row = row;
    this.#counts = countsOf(row);
  }

  get row(): StoredImport {
    return this.#row;
  }

  get counts(): Counts {
    return this.#counts;
  }

  get isCanceled(): boolean {
    return this.#row.status === 'canceled';
  }

  /** Whether the import began so long ago that its file and the outcomes of its rows are soon gone. */
  get isTooOld(): boolean {
    return this.#row.startedAt !== null && this.#row.startedAt < shifted(timestamp(), -longestMs);
  }

  /** Whether more is done than is written. */
  get hasMoved(): boolean {
    return JSON.stringify(this.#counts) !== JSON.stringify(countsOf(this.#row));
  }

  /** Whether one run after the other has made no progress. */
  get isStuck(): boolean {
    return this.#row.tries > maxTries;
  }

  /** Begins to count an undo anew: each run counts what those before have undone, too. */
  countUndoneAnew(): void {
    this.#counts = { ...this.#counts, archived: 0, restored: 0, kept: 0 };
  }

  /** Whether the run takes no more rows: its time is up, or the import was canceled. */
  get isOver(): boolean {
    return this.#isOver || now() > this.#untilMs;
  }

  /** Returns the outcomes of the rows behind a place that an earlier run has taken in. */
  async rowsSince(place: number): Promise<Map<number, RowEnding>> {
    const found = new Map<number, RowEnding>();
    for await (const row of this.rows({ above: sortableId(place), ascending: true })) found.set(row.row, row.outcome);
    return found;
  }

  /** Yields the outcomes that are kept. */
  async *rows(range: { above?: string; below?: string; ascending: boolean }): AsyncGenerator<ImportRow> {
    const pk = entityPartition(this.tenant, ImportRows, { importId: this.#row.id });
    for await (const stored of flatten(pages({ pk, ...range }))) yield parseStored(ImportRows, stored);
  }

  /** Counts the row behind those that are done. */
  count(ending: RowEnding): void {
    const { place, processed } = this.#counts;
    this.#counts = {
      ...this.#counts,
      [ending]: this.#counts[ending] + 1,
      place: place + 1,
      processed: processed + 1,
    };
  }

  /** Counts what an undo did to a record. */
  countUndone(outcome: 'archived' | 'restored' | 'kept', isPartlyKept = false): void {
    this.#counts = { ...this.#counts, [outcome]: this.#counts[outcome] + 1 };
    if (isPartlyKept) this.#counts = { ...this.#counts, kept: this.#counts.kept + 1 };
  }

  /** Writes how far the run is, each second. Throws where another run has the import. */
  async breathe(): Promise<void> {
    await this.#telling;
    if (now() - this.#toldAt < progressMs) return;
    this.#telling = this.tell().finally(() => {
      this.#telling = undefined;
    });
    await this.#telling;
  }

  /** Reads whether the import has been canceled since. Throws Lost. */
  async checkCanceled(): Promise<void> {
    const { status } = await this.#own(new UnitOfWork(this.tenant, system));
    if (status !== 'canceled') return;
    this.#row = { ...this.#row, status };
    this.#isOver = true;
  }

  /** Renews the lease also while one row takes long. Returns what ends that. */
  keep(): () => void {
    let cancel = () => {};
    const renew = () => {
      cancel = after(renewMs, () => {
        renew();
        // Whoever has lost the import finds out at the next row.
        this.breathe().catch(() => {});
      });
    };
    renew();
    return () => cancel();
  }

  /** Writes how far the run is, and what it has found out. Throws Lost. */
  async tell(found: Partial<StoredImport> = {}): Promise<void> {
    const counts = this.#counts;
    const hasMoved = this.hasMoved || Object.keys(found).length > 0;
    const isRenewed = now() - this.#renewedAt >= renewMs;
    this.#row = await transact(this.tenant, system, async (tx) => {
      const row = await this.#own(tx);
      return tx.update(Imports, {
        ...row,
        ...found,
        ...counts,
        ...(hasMoved && { tries: 0 }),
        ...(isRenewed && runs.renewed(Date.parse(tx.now) + leaseMs)),
      });
    });
    this.#toldAt = now();
    if (isRenewed) this.#renewedAt = now();
    if (this.#row.status === 'canceled') this.#isOver = true;
  }

  async #own(tx: UnitOfWork): Promise<StoredImport> {
    const row = await tx.find(Imports, { id: this.#row.id });
    if (!runs.isHeldBy(row, this.#row)) throw new Lost();
    return row;
  }

  /** Leaves the import to the next run, at once. */
  async release(): Promise<void> {
    const counts = this.#counts;
    await transact(this.tenant, system, async (tx) => {
      const { runBy, ...row } = await this.#own(tx);
      tx.update(Imports, { ...row, ...counts, leasedUntil: null, nextRunAt: tx.now });
    });
  }

  /** Ends the work of an import that cannot go on. */
  async fail(error: string): Promise<void> {
    log().warn('an import fails', { importId: this.#row.id, error });
    await this.end(this.#row.work === 'undo' ? 'undone' : 'failed', { error });
  }

  /** Ends the work of the import, and lets the next one begin. Emits import.completed, but for an undo. */
  async end(
    status: 'completed' | 'failed' | 'canceled' | 'undone',
    { error = null, hasErrors = false }: { error?: string | null; hasErrors?: boolean } = {},
  ): Promise<void> {
    const counts = this.#counts;
    await transact(this.tenant, this.#row.actor, async (tx) => {
      const { runBy, ...row } = await this.#own(tx);
      const isUndo = row.work === 'undo';
      const completedAt = isUndo ? row.completedAt : (row.completedAt ?? tx.now);
      const canUndo = !row.dryRun && (status === 'completed' || counts.processed > 0);
      const ended = tx.update(Imports, {
        ...row,
        ...counts,
        // One that was canceled while its last rows were at work stays so.
        status: row.status === 'canceled' ? 'canceled' : status,
        error,
        hasErrors: row.hasErrors || hasErrors,
        completedAt,
        undoUntil: isUndo ? null : canUndo ? shifted(tx.now, undoMs) : null,
        ...{ work: null, leasedUntil: null, nextRunAt: null },
      });
      await passTurn(tx, row.id);
      if (isUndo) return;
      tx.emit({
        kind: 'import.completed',
        subject: `import/${row.id}`,
        data: {
          import_id: String(row.id),
          object: ended.object,
          status: ended.status as 'completed',
          counts: {
            total: ended.total,
            processed: ended.processed,
            created: ended.created,
            updated: ended.updated,
            skipped: ended.skipped,
            failed: ended.failed,
          },
        },
      });
    });
  }
}
