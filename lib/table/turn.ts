import { now, secondMs } from '../clock.ts';
import type { Tenant } from '../tenant.ts';
import { longTimeoutSeconds } from '../timeouts.ts';
import { longestConflictMs } from './retry.ts';
import { takeSlot } from './slots.ts';

/** Longer than this a call goes on with what may take long in a slot of its tenant alone. */
const briefMs = 2 * secondMs;

/** What is begun at the last moment. */
const overtimeMs = 9 * secondMs;

/** Of so many in a pool. Of those who ask, each asks for few. */
interface Pool {
  name?: string;
  most?: number;
}
const maxTries = 10;

/** How long a call goes on with what may take long, all of it together. */
export class Turn {
  readonly #tenant: Tenant;
  readonly #endsAtMs: number;
  readonly #pool: Pool | undefined;
  readonly #startedMs = now();
  #slot: ReturnType<typeof takeSlot> | undefined;

  /** For so long at most; without a pool it needs no slot. */
  constructor(tenant: Tenant, longestMs: number, pool?: Pool) {
    this.#tenant = tenant;
    this.#endsAtMs = this.#startedMs + longestMs;
    this.#pool = pool;
  }

  async mayGoOn(): Promise<boolean> {
    const nowMs = now();
    if (nowMs > this.#endsAtMs) return false;
    if (!this.#pool || nowMs <= this.#startedMs + briefMs) return true;
    const { name, most } = this.#pool;
    this.#slot ??= takeSlot(this.#tenant, this.#endsAtMs - nowMs + overtimeMs, name, most, maxTries);
    return (await this.#slot) !== undefined;
  }

  /** Gives back what it has taken. */
  async end(): Promise<void> {
    await (await this.#slot)?.();
  }
}

/** How long a request goes on with its own sagas; its route declares `longTimeoutSeconds`. What is left then is the worker's. */
export const giveUpMs = longTimeoutSeconds * secondMs - overtimeMs;

/** Of the sagas of a call; one that has a slot needs no other. */
export const turnOfSagas = (tenant: Tenant, { needsSlot = true } = {}): Turn =>
  new Turn(tenant, giveUpMs, needsSlot ? {} : undefined);

/** So many calls of a tenant wait at once, for more than a moment, for others to have written. */
const maxWaiting = 40;

interface Waiting {
  needsSlot: boolean;
  longestMs?: number;
}

/** Of writes that run again because somebody else was faster; those that no call has begun need no slot. */
export const turnOfConflicts = (tenant: Tenant, { needsSlot, longestMs = longestConflictMs }: Waiting): Turn =>
  new Turn(tenant, longestMs, needsSlot ? { name: 'wait/', most: maxWaiting } : undefined);
