import { now, secondMs, timestamp } from '#lib/core/clock.ts';
import { system } from '#lib/core/tenant.ts';
import type { DueDelivery } from '#lib/entities/delivery.ts';
import { Endpoints, type StoredEndpoint } from '#lib/entities/webhook.ts';
import type { Health } from '#lib/entities/webhook-health.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import type { Target } from './attempt.ts';
import { type Backlog, readBacklog, type Waiting } from './backlog.ts';
import { findRegistry, headersOfEndpoint, secretsOf } from './registry.ts';
import type { Shift } from './shift.ts';
import { type Signer, signer } from './sign.ts';

/** How old a backlog may be of which much had to be read: what is new is at its end. */
const wideMs = 3 * secondMs;

/** Deliveries that a worker has read of its endpoint, with those that wait to begin. */
export class Pending {
  /** As it was read or written last. */
  isActive = true;
  backlog: Backlog = {
    first: [],
    retries: [],
    later: [],
    nextRetryAt: null,
    isWide: false,
    unreadable: [],
  };
  readonly #shift: Shift;
  #endpoint: StoredEndpoint | undefined;
  #headers: Record<string, string> = {};
  #signers: readonly [Signer, Signer?] | undefined;
  #targetAtMs = 0;
  #readAtMs = 0;
  #backlogAtMs = 0;
  #startsWithRetry = false;

  constructor(shift: Shift) {
    this.#shift = shift;
  }

  /** Where to send, and with which signatures; undefined without an endpoint or a secret. */
  get target(): Target | undefined {
    if (!this.#endpoint || !this.#signers) return undefined;
    return { url: this.#endpoint.url, headers: this.#headers, signers: this.#signers };
  }

  isTargetOlderThan(ageMs: number): boolean {
    return now() - this.#targetAtMs >= ageMs;
  }

  get dueCount(): number {
    return this.backlog.first.length + this.backlog.retries.length;
  }

  /** Forgets the entries that were read. */
  expire(): void {
    this.#readAtMs = 0;
    this.#backlogAtMs = 0;
  }

  isOlderThan(ageMs: number): boolean {
    return now() - this.#readAtMs >= ageMs;
  }

  /** Reads where to send, with which secrets, and whether that is wanted. */
  async readTarget(): Promise<void> {
    const { tenant, endpointId } = this.#shift;
    const tx = new UnitOfWork(tenant, system);
    const [endpoint, registry] = await Promise.all([tx.find(Endpoints, { id: endpointId }), findRegistry(tx)]);
    const signing = endpoint?.signing ?? registry;
    const [secrets, headers] = await Promise.all([
      signing ? secretsOf(tenant, signing, timestamp()) : [],
      endpoint ? headersOfEndpoint(tenant, endpoint) : {},
    ]);
    this.#targetAtMs = now();
    this.#endpoint = endpoint;
    this.#headers = headers;
    this.isActive = endpoint?.isActive === true;
    this.#signers = secrets.length > 0 ? (secrets.map(signer) as [Signer, Signer?]) : undefined;
  }

  /** Reads the endpoint and what waits for it, but for what is in hand. */
  async read(inHandNow: Iterable<number>, health: Health): Promise<void> {
    // A delivery that is written during this read may still look as if it were waiting.
    const inHand = new Set(inHandNow);
    const isFree = ({ id }: Waiting) => !inHand.has(id);
    const tx = new UnitOfWork(this.#shift.tenant, system);
    const isKept = this.backlog.isWide && now() - this.#backlogAtMs < wideMs;
    const [backlog] = await Promise.all([isKept ? this.backlog : readBacklog(tx, health), this.readTarget()]);
    this.#readAtMs = now();
    if (!isKept) this.#backlogAtMs = this.#readAtMs;
    this.backlog = { ...backlog, first: backlog.first.filter(isFree), retries: backlog.retries.filter(isFree) };
  }

  /** First attempts and retries take turns. A first attempt waits until the one before it of its subject has ended. */
  take(inHand: Iterable<Waiting | undefined>): Waiting | undefined {
    if (!this.#endpoint?.isActive || !this.#signers) return undefined;
    const { first, retries } = this.backlog;
    const busy = new Set([...inHand].flatMap((one) => (one && isFirst(one) ? [one.subject] : [])));
    this.#startsWithRetry = !this.#startsWithRetry;
    for (const list of this.#startsWithRetry ? [retries, first] : [first, retries]) {
      for (const [index, entry] of list.entries()) {
        if (isFirst(entry) && busy.has(entry.subject)) continue;
        list.splice(index, 1);
        return entry;
      }
    }
    return undefined;
  }
}

const isFirst = ({ attemptCount }: DueDelivery) => attemptCount === 0;
