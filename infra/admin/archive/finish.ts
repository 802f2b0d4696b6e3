import { secondMs, sleep } from '#lib/core/clock.ts';
import { log } from '#lib/core/log.ts';
import { conflict } from '#lib/core/problem.ts';
import { operator, parseTenantKey, system, type Tenant } from '#lib/core/tenant.ts';
import { publish } from '#lib/publishing/publish.ts';
import { isDead } from '#lib/table/dead-letter.ts';
import { outboxPrefix } from '#lib/table/outbox.ts';
import { resumeSaga } from '#lib/table/resume.ts';
import type { Row } from '#lib/table/rows.ts';
import { type Saga, type SagaKind, Sagas, type State } from '#lib/table/saga.ts';
import { rowsOfWorkspace } from '#lib/table/scan.ts';
import { parseStored } from '#lib/table/stored.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { getWorkspace } from '#lib/workspaces/store.ts';

const maxRounds = 20;
const pauseMs = secondMs;

/**
 * Brings to its end what was half done in a workspace of a table that no worker looks at, as of one that was restored to some second:
 * events are published, but delivered to nobody, and sagas go on. Reads the whole table at least twice. Returns how many of each, and
 * how many dead letters of events it left. Raises 404, and 409 where something does not come to an end.
 */
export async function finishWorkspace(id: number, kinds: readonly SagaKind<State>[]) {
  await getWorkspace(new UnitOfWork({ workspaceId: id, env: 'live' }, operator));
  const finished = { events: 0, sagas: 0 };
  let unfinished: string[] = [];
  for (let round = 0; round < maxRounds; round += 1) {
    if (round > 0) await sleep(pauseMs);
    const { changes, sagas, deadLetters } = await halfDone(id);
    if (changes.length + sagas.length === 0) return { ...finished, deadLetters };
    finished.events += changes.length - (await publish(changes)).length;
    for (const { tenant, saga } of sagas) finished.sagas += Number(await finishes(tenant, saga.id, kinds));
    unfinished = [...changes.map(({ pk, sk }) => `${pk}/${sk}`), ...sagas.map(({ saga }) => `${saga.kind} ${saga.id}`)];
  }
  throw conflict('workspace_in_use', `these do not finish (see the log): ${unfinished.join(', ')}`);
}

/** The changes that are not published, in the order in which they were committed, and the sagas; dead letters are only counted. */
async function halfDone(id: number) {
  const changes: Row[] = [];
  const sagas: { tenant: Tenant; saga: Saga }[] = [];
  let deadLetters = 0;
  for await (const row of rowsOfWorkspace(id)) {
    if (row.pk.startsWith(outboxPrefix)) {
      if (isDead(row)) deadLetters += 1;
      else changes.push(row);
    } else if (isSaga(row)) sagas.push(sagaOf(row));
  }
  return { changes: changes.sort((a, b) => (a.sk < b.sk ? -1 : 1)), sagas, deadLetters };
}

export const isSaga = ({ pk }: Row) => pk.endsWith(`#${Sagas.name}`);

export const sagaOf = (row: Row) => ({
  tenant: parseTenantKey(row.pk.split('#')[0] as string),
  saga: parseStored(Sagas, row),
});

/** Finishes a saga. Its former worker ended long ago, so there is no lease to wait for. */
async function finishes(tenant: Tenant, sagaId: string, kinds: readonly SagaKind<State>[]): Promise<boolean> {
  try {
    await transact(tenant, system, async (tx) => {
      const saga = await tx.find(Sagas, { id: sagaId });
      if (saga) tx.update(Sagas, { ...saga, dueAt: tx.now, tries: 0 });
    });
    await resumeSaga(tenant, sagaId, kinds);
    return (await new UnitOfWork(tenant, system).find(Sagas, { id: sagaId })) === undefined;
  } catch (error) {
    log().error('a saga does not come to an end', { sagaId, error });
    return false;
  }
}
