import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import { secondMs, shifted } from '#lib/core/clock.ts';
import { count } from '#lib/core/schema.ts';
import { type Actor, tenantKey } from '#lib/core/tenant.ts';
import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { entity, type Item } from './entity.ts';
import type { UnitOfWork } from './unit-of-work.ts';

/** Work that is decided and takes more than one transaction. The worker of the queue `sagas` finds it after a crash. */
export const Sagas = entity({
  name: 'saga',
  schema: v.object({
    id: v.string(),
    kind: v.string(),
    state: v.record(v.string(), v.unknown()),
    actor: v.custom<Actor>((actor) => typeof actor === 'object'),
    dueAt: v.string(),
    /** Tries of the worker since its last completed part. */
    tries: v.optional(count(), 0),
  }),
  sortKey: ({ id }) => id,
  timer: ({ id, dueAt }, tenant) => ({
    at: dueAt,
    queue: 'sagas',
    message: { sagaId: id },
    group: tenantKey(tenant),
  }),
});

export type Saga = Item<typeof Sagas>;
export type State = Record<string, unknown>;

/** Work of the sagas of one name. */
export interface SagaKind<S extends State, Name extends string = string> {
  name: Name;
  /**
   * Does a part that fits one transaction and returns the state that is left, or undefined when nothing is. The transaction is
   * conditional on the saga, so each part is done exactly once, whoever does it and however often it is tried.
   * A part that the table refuses, or that one transaction does not take, is tried again with `tx.isForOneRow`.
   */
  step(tx: UnitOfWork, state: S, sagaId: string): Promise<S | undefined>;
  /** How long it has to wait before it can go on from this state; it goes on at once without. */
  waitMs?(state: S): number;
  /** How long its worker goes on with it at a time, where it is of no hurry and others wait for a worker. */
  budgetMs?: number;
}

/** How long a request goes on with its own sagas; its route declares `longTimeoutSeconds`. What is left then is the worker's. */
export const giveUpMs = (longTimeoutSeconds - 9) * secondMs;

/** When the request must have given up, and the worker takes over. */
const handoverMs = (longTimeoutSeconds + 1) * secondMs;

export const newSaga = <S extends State>(tx: UnitOfWork, kind: Pick<SagaKind<S>, 'name'>, state: S): Saga => ({
  id: randomUUID(),
  kind: kind.name,
  state,
  actor: tx.actor,
  dueAt: shifted(tx.now, handoverMs),
  tries: 0,
});
