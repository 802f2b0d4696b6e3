import { log } from '#lib/core/log.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import { today } from '#lib/table/daily.ts';
import { type Grant, remaining, settle, topUp } from '#lib/table/quota.ts';

/** Attempts that are taken from the quota at a time; a worker that dies takes them along. */
const maxGrant = 100;

/** The attempts that a worker may make of the tenant's quota of the day: taken for all that is due, not one by one. */
export class AttemptQuota {
  readonly #tenant: Tenant;
  /** Taken, and not made yet. */
  #grant: Grant = { day: '', amount: 0 };
  /** The day whose attempts are used up. */
  #spentDay = '';

  constructor(tenant: Tenant) {
    this.#tenant = tenant;
  }

  get isSpent(): boolean {
    return this.#spentDay === today();
  }

  /** Takes as many attempts as are wanted, or as there are left; so many more as are due may follow. Returns how many. */
  async take(wanted: number, due: number): Promise<number> {
    if (wanted > this.#grant.amount) {
      this.#grant = await topUp(this.#tenant, 'deliveries', this.#grant, Math.min(maxGrant, wanted + due));
      if (this.#grant.amount < wanted) this.#spentDay = this.#grant.day;
    }
    const taken = Math.min(wanted, this.#grant.amount);
    this.#grant.amount -= taken;
    return taken;
  }

  /** Puts back attempts that were taken and not made. */
  putBack(count: number): void {
    this.#grant.amount += count;
  }

  /** Returns whether there are attempts left today; if not, they are used up for this worker, too. */
  async hasLeft(): Promise<boolean> {
    const isLeft = (await remaining(this.#tenant, 'deliveries')) > 0;
    if (!isLeft) this.#spentDay = today();
    return isLeft;
  }

  /** Returns the attempts that were not made to the day's quota. */
  async giveBack(): Promise<void> {
    await settle(this.#tenant, 'deliveries', this.#grant, 0).catch((error) =>
      log().warn('attempts that were not made stay counted', error as Error),
    );
  }
}
