import { minuteMs, secondMs, shifted } from '#lib/core/clock.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { sagaTimeoutSeconds } from '#lib/core/timeouts.ts';
import { isContention } from './change.ts';
import { bury, isDead, isPermanent } from './dead-letter.ts';
import { indexEntries } from './entity.ts';
import { readRows } from './rows.ts';
import { giveUpMs, type Saga, type SagaKind, Sagas, type State } from './saga.ts';
import { finishSaga, transact, within } from './transact.ts';

const tryMs = sagaTimeoutSeconds * secondMs;
const maxTries = 5;

/**
 * Goes on with a saga whose request did not complete it; one that is done is done. The try is counted before it is made, and until
 * the next one there is a wait; after the last one the saga's timer is a dead letter, and when that is put back the saga goes on.
 */
export async function resumeSaga(tenant: Tenant, id: string, kinds: readonly SagaKind<State>[]): Promise<void> {
  const saga = await transact(tenant, system, async (tx) => {
    const waiting = await tx.find(Sagas, { id });
    if (waiting === undefined || waiting.dueAt > tx.now || (await isResting(tenant, waiting))) return undefined;
    const tries = waiting.tries + 1;
    return tx.update(Sagas, { ...waiting, tries, dueAt: shifted(tx.now, tryMs + minuteMs * tries) });
  });
  if (saga === undefined) return;
  if (saga.tries > maxTries) return rest(tenant, id, new Error('its last try did not come to an end'));
  try {
    const kind = kinds.find(({ name }) => name === saga.kind);
    if (kind === undefined) throw new Error(`no saga is called ${saga.kind}`);
    await finishSaga(tenant, kind, saga, budgetOf(kind));
  } catch (error) {
    // One that meets conflicts in try after try holds its worker each time.
    if (!isPermanent(error) && !isContention(error)) await takeBack(tenant, saga);
    else if (saga.tries === maxTries) return rest(tenant, id, error);
    throw error;
  }
}

/** Returns the check that lets a saga go on in a try, after one part at least. */
function budgetOf({ budgetMs = 2 * giveUpMs }: SagaKind<State>): () => Promise<boolean> {
  const mayGoOn = within(budgetMs);
  let hasBegun = false;
  return async () => {
    if (hasBegun) return mayGoOn();
    hasBegun = true;
    return true;
  };
}

/** A try that failed for a reason which is not the saga's own does not count. */
const takeBack = (tenant: Tenant, { id, tries }: Saga) =>
  transact(tenant, system, async (tx) => {
    const left = await tx.find(Sagas, { id });
    if (left?.tries === tries) tx.update(Sagas, { ...left, tries: tries - 1 });
  });

/** Returns whether its timer is a dead letter or gone: a message of it that was sent before finds nothing to do. */
export const isResting = async (tenant: Tenant, saga: Saga) =>
  [...(await readRows([...indexEntries(tenant, Sagas, saga).values()])).values()].every(isDead);

/** Makes the timer of a saga a dead letter: it is not tried again until an operator puts that back. */
async function rest(tenant: Tenant, id: string, error: unknown): Promise<void> {
  const saga = await transact(tenant, system, async (tx) => {
    const left = await tx.find(Sagas, { id });
    return left && tx.update(Sagas, { ...left, tries: 0 });
  });
  for (const timer of saga ? indexEntries(tenant, Sagas, saga).values() : []) await bury(timer, error);
}
