import { secondMs } from '../clock.ts';
import type { Tenant } from '../tenant.ts';
import { longTimeoutSeconds } from '../timeouts.ts';
import { takeSlot } from './slots.ts';

/** A part that is begun at the last moment. */
const overtimeMs = 9 * secondMs;
/** How long a request goes on with its own sagas; its route declares `longTimeoutSeconds`. */
export const giveUpMs = longTimeoutSeconds * secondMs - overtimeMs;
/** Longer than this it does so in a slot of its tenant alone. */
const briefMs = 2 * secondMs;

/** How long a request goes on with its sagas, all of them together; what is left then is the worker's. */
export class SagaTurn {
  readonly #tenant: Tenant;
  readonly #hasSlot: boolean;
  readonly #startedMs = Date.now();
  #slot: ReturnType<typeof takeSlot> | undefined;

  constructor(tenant: Tenant, { hasSlot = false } = {}) {
    this.#tenant = tenant;
    this.#hasSlot = hasSlot;
  }

  async mayGoOn(): Promise<boolean> {
    const leftMs = this.#startedMs + giveUpMs - Date.now();
    if (leftMs < 0) return false;
    if (this.#hasSlot || leftMs >= giveUpMs - briefMs) return true;
    this.#slot ??= takeSlot(this.#tenant, leftMs + overtimeMs);
    return (await this.#slot) !== undefined;
  }

  /** Gives back what it has taken. */
  async end(): Promise<void> {
    await (await this.#slot)?.();
  }
}
