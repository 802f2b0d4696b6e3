import { isPassing } from '#lib/aws/aws.ts';
import { now, secondMs, shifted, sleep } from '#lib/core/clock.ts';
import { badRequest, Problem, unavailable } from '#lib/core/problem.ts';
import type { SagaName } from '#lib/core/sagas.ts';
import type { Actor, Tenant } from '#lib/core/tenant.ts';
import { WriteConflict } from './change.ts';
import { isInvalid } from './client.ts';
import { commitAtOnce, removingEntries, writeEntriesAhead } from './commit.ts';
import { IdPool } from './ids.ts';
import { giveUpMs, newSaga, type Saga, type SagaKind, Sagas, type State } from './saga.ts';
import { UnfitRow } from './size.ts';
import { UnitOfWork } from './unit-of-work.ts';

/** So long the writes of a call run again at most. */
const longestConflictMs = 8_000;
/** About what some commits take: whoever comes back sooner meets the same one. */
const firstPauseMs = 100;
/** Many writers of one row get in each other's way until most of them wait for longer than a commit takes. */
const longestPauseMs = 2_000;

/** Returns a check that is true for the given time. */
export function within(ms: number): () => Promise<boolean> {
  const deadline = now() + ms;
  return async () => now() <= deadline;
}

/** Runs the work again while somebody else is faster. Raises 503 when it meets write conflicts for longer than it may go on. */
export async function untilFirst<Result>(
  work: () => Promise<Result>,
  mayGoOn = within(longestConflictMs),
): Promise<Result> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof WriteConflict)) throw error;
      if (!(await mayGoOn())) throw unavailable(1, error);
      await sleep(Math.random() * Math.min(longestPauseMs, firstPauseMs * 3 ** attempt));
    }
  }
}

/**
 * Runs the work and commits it; runs it again on fresh reads when somebody else was faster. Returns what the work
 * returned. Raises 503 when it meets write conflicts for eight seconds, or for longer than it may go on.
 */
export async function transact<Result>(
  tenant: Tenant,
  actor: Actor,
  work: (tx: UnitOfWork) => Promise<Result>,
  { ids = new IdPool(tenant), mayGoOn }: { ids?: IdPool; mayGoOn?: () => Promise<boolean> } = {},
): Promise<Result> {
  const attempt = async () => {
    const tx = new UnitOfWork(tenant, actor, ids);
    let isCommitting = false;
    try {
      const result = await work(tx);
      isCommitting = true;
      await commit(tx);
      return result;
    } catch (error) {
      if (!isCommitting || hasWrittenNothing(error)) await tx.abandon();
      throw error;
    }
  };
  return untilFirst(attempt, mayGoOn);
}

/** Does the same for the work of a call. Raises 400 `batch_too_large` also for what one transaction, or one row, has no room for. */
export async function transactCall<Result>(...given: Parameters<typeof transact<Result>>): Promise<Result> {
  try {
    return await transact(...given);
  } catch (error) {
    if (!(error instanceof UnfitRow)) throw error;
    throw badRequest(
      'batch_too_large',
      'the changes exceed one transaction of about 90 rows and 3 MB, or a record of 400 KB: make them in several calls',
    );
  }
}

/**
 * Returns whether a commit has certainly written nothing: it met a write conflict, was refused, or is too large. After any
 * other failure, a 503 included, that is unknown.
 */
const hasWrittenNothing = (error: unknown) =>
  error instanceof WriteConflict || error instanceof UnfitRow || (error instanceof Problem && error.status !== 503);

/** Writes everything or nothing. Throws the refusal of a failed condition, or WriteConflict when it is worth running again. */
export async function commit(tx: UnitOfWork): Promise<void> {
  if (!(await commitAtOnce(tx))) await commitWithoutEntries(tx);
  await tx.committed();
}

/** Removes the index entries of deleted rows after the commit, and writes those of new rows ahead. Throws UnfitRow when it still has no room. */
async function commitWithoutEntries(tx: UnitOfWork): Promise<void> {
  const left = tx.work.changes.filter(({ isEntryOfDeleted }) => isEntryOfDeleted);
  if (left.length > 0) {
    tx.leavesEntries = true;
    startSaga(tx, removingEntries, { entries: left.map(({ key }) => key) });
    if (await commitAtOnce(tx)) return;
  }
  await writeEntriesAhead(tx, (kind, id) => finishSaga(tx.tenant, kind, { id, actor: tx.actor }));
  if (!(await commitAtOnce(tx))) throw new UnfitRow('a commit is more than one transaction takes');
}

/**
 * Decides, with the rest of the unit of work, that work will be done which is too large for it. It is done right after the
 * commit, before the request is answered; after a crash or when it takes too long the worker completes it.
 */
export function startSaga<S extends State>(tx: UnitOfWork, kind: SagaKind<S, SagaName>, state: S): void {
  const saga = tx.create(Sagas, newSaga(tx, kind, state));
  tx.mayGoOn ??= within(giveUpMs);
  const { tenant, mayGoOn } = tx;
  tx.afterwards(() => finishNow(tenant, kind, saga, mayGoOn));
}

/** Leaves work to the saga's worker, at once, where a request neither waits for it nor carries its code. */
export function leaveSaga<S extends State>(tx: UnitOfWork, name: SagaName, state: S): void {
  tx.create(Sagas, { ...newSaga(tx, { name }, state), dueAt: tx.now });
}

/** The answer includes what the saga does: a fault that may pass is no reason to leave it to the worker. */
async function finishNow<S extends State>(
  tenant: Tenant,
  kind: SagaKind<S>,
  saga: Saga,
  mayGoOn: () => Promise<boolean>,
): Promise<void> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await finishSaga(tenant, kind, saga, mayGoOn);
    } catch (error) {
      const mayPass = isPassing(error) || (error instanceof Problem && error.status === 503);
      if (!mayPass || !(await mayGoOn())) {
        await handOver(tenant, saga);
        throw error;
      }
      await sleep(Math.random() * Math.min(secondMs, 50 * 2 ** attempt));
    }
  }
}

/** Makes a saga that its request cannot complete due for the worker at once. */
const handOver = (tenant: Tenant, { id, actor }: Saga) =>
  transact(tenant, actor, async (tx) => {
    const left = await tx.find(Sagas, { id });
    if (left && left.dueAt > tx.now) tx.update(Sagas, { ...left, dueAt: tx.now });
  });

/** Does the parts of a saga that are left, as long as it may go on. What is not done by then is handed to the worker. */
export async function finishSaga<S extends State>(
  tenant: Tenant,
  kind: SagaKind<S>,
  { id, actor }: Pick<Saga, 'id' | 'actor'>,
  mayGoOn: () => Promise<boolean> = within(giveUpMs),
): Promise<void> {
  const doPart = (isForOneRow: boolean) =>
    transact(tenant, actor, async (tx) => {
      tx.isForOneRow = isForOneRow;
      const saga = await tx.find(Sagas, { id });
      if (saga === undefined) return false;
      if (!(await mayGoOn())) {
        tx.update(Sagas, { ...saga, dueAt: tx.now });
        return false;
      }
      const state = await kind.step(tx, saga.state as S, id);
      const waitMs = state === undefined ? 0 : (kind.waitMs?.(state) ?? 0);
      if (state === undefined) tx.delete(Sagas, saga);
      else tx.update(Sagas, { ...saga, state, tries: 0, ...(waitMs > 0 && { dueAt: shifted(tx.now, waitMs) }) });
      return state !== undefined && waitMs === 0;
    });
  for (let isLeft = true; isLeft; ) {
    isLeft = await doPart(false).catch((error) => {
      if (!isInvalid(error) && !(error instanceof UnfitRow)) throw error;
      // The rows before the one that is refused, or all of them where together they were too large.
      return doPart(true);
    });
  }
}
