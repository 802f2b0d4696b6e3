import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import * as v from 'valibot';
import { epochSeconds, timestamp } from '../clock.ts';
import { env } from '../env.ts';
import { type Event, type EventDraft, outboxItems } from '../events/outbox.ts';
import { log } from '../log.ts';
import { notFound, type Problem, unavailable } from '../problem.ts';
import type { Actor, Tenant } from '../tenant.ts';
import {
  type Action,
  addition,
  type Change,
  type Conditional,
  conditional,
  fitsOne,
  Overtaken,
  type Refusal,
  send,
} from './change.ts';
import { documentClient } from './client.ts';
import { companions, type Entity, entityPartition, type Item, keyOf } from './entity.ts';
import { identity, type Key, partition } from './keys.ts';
import { commitLarge } from './large.ts';
import { readRows } from './rows.ts';

/** `plan` names the large commit that has locked it; version 0 is a place that such a commit holds for a new item. */
type Stored = Record<string, unknown> & Key & { v: number; plan?: string };

interface Held {
  entity: Entity;
  key: Key;
  /** As it was read; undefined when it was not there. */
  before: Stored | undefined;
  after: Record<string, unknown> | null | undefined;
  /** Created without having been looked for: its id is known to nobody else. */
  isFresh: boolean;
}

/** Whether a stored item is past its time (DynamoDB removes it only later) or not yet there. */
export const isAbsent = (item: Record<string, unknown>) =>
  item['v'] === 0 || (typeof item['expiresAtSeconds'] === 'number' && item['expiresAtSeconds'] <= epochSeconds());

/** The entity that a stored item holds. Throws when it does not fit the declaration. */
export const parseStored = <E extends Entity>(of: E, stored: Record<string, unknown>): Item<E> =>
  v.parse(of.schema, stored);

/**
 * A unit of work: what it reads it remembers, what it changes is written at once or not at all by `commit()`, together
 * with its index entries, counters and events. Every entity it has read and changes must still be what it read.
 */
export class Transaction {
  readonly tenant: Tenant;
  readonly actor: Actor;
  readonly now: string;
  readonly id: string;
  #held = new Map<string, Held>();
  #pinned = new Set<Held>();
  #demanded = new Map<string, { key: Key; missing: (() => Problem) | undefined }>();
  #counts = new Map<string, { key: Key; deltas: Map<string, number> }>();
  #additions = new Map<string, { key: Key; deltas: Map<string, number>; missing: Problem | undefined }>();
  #raw: Conditional[] = [];
  #afterwards: (() => Promise<void>)[] = [];
  #events: Event[] = [];
  #audit: Record<string, unknown> | undefined;
  #ids: IdPool;

  constructor(tenant: Tenant, actor: Actor, ids: IdPool = new IdPool(tenant)) {
    this.tenant = tenant;
    this.actor = actor;
    this.#ids = ids;
    this.id = randomUUID();
    this.now = timestamp();
  }

  /** The actor as events show it (contract section 15). */
  get eventActor(): { type: Actor['type']; id: string | null } {
    return { type: this.actor.type, id: this.actor.id === null ? null : String(this.actor.id) };
  }

  /** Fetches ids for several entities in one round trip; `nextId` then takes from them. */
  reserveIds(counts: Record<string, number>): Promise<void> {
    return this.#ids.reserve(counts);
  }

  /** The next id of an entity, rising per tenant. Unused ids are lost, which leaves gaps. */
  nextId(of: Entity): Promise<number> {
    return this.#ids.next(of);
  }

  /** Hands ids that were reserved here, or fresh ones, to a unit of work of its own. */
  async lendIds(counts: Record<string, number>): Promise<IdPool> {
    await this.#ids.reserve(counts);
    return this.#ids.split(counts);
  }

  /** The entity, or undefined; strongly consistent, and with the changes of this transaction. `place` names what its partition and key derive from. */
  async find<E extends Entity>(of: E, place: Partial<Item<E>>): Promise<Item<E> | undefined> {
    const held = await this.#hold(of, keyOf(this.tenant, of, place as Item<E>));
    return current(of, held);
  }

  /** The entity, or a 404 problem. */
  async get<E extends Entity>(
    of: E,
    place: Partial<Item<E>>,
    missing: () => Problem = () => notFound(of.name),
  ): Promise<Item<E>> {
    const found = await this.find(of, place);
    if (found === undefined) throw missing();
    return found;
  }

  /** Those of the entities that exist, in the order asked for; one round trip per hundred. */
  async findAll<E extends Entity>(of: E, places: readonly Partial<Item<E>>[]): Promise<Item<E>[]> {
    return this.findAllByKey(
      of,
      places.map((place) => keyOf(this.tenant, of, place as Item<E>)),
    );
  }

  /** As `findAll`, by keys that an index entry holds. */
  async findAllByKey<E extends Entity>(of: E, keys: readonly Key[]): Promise<Item<E>[]> {
    const unknown = keys.filter((key) => !this.#held.has(identity(key)));
    const read = await readRows(unknown);
    for (const key of unknown) {
      this.#held.set(identity(key), {
        entity: of,
        key,
        before: read.get(identity(key)) as Stored | undefined,
        after: undefined,
        isFresh: false,
      });
    }
    return keys.map((key) => current(of, this.#held.get(identity(key)) as Held)).filter((item) => item !== undefined);
  }

  /** Lets a list share what it has read, so that a later change of it is conditional on it. */
  remember<E extends Entity>(of: E, stored: Record<string, unknown>): Item<E> {
    const key = { pk: stored['pk'] as string, sk: stored['sk'] as string };
    const known = this.#held.get(identity(key));
    if (known) return current(of, known) as Item<E>;
    const held: Held = { entity: of, key, before: stored as Stored, after: undefined, isFresh: false };
    this.#held.set(identity(key), held);
    return current(of, held) as Item<E>;
  }

  /** The entities of a kind that this transaction has written so far, which no list shows yet. */
  written<E extends Entity>(of: E): Item<E>[] {
    return [...this.#held.values()]
      .filter(({ entity, after }) => entity === of && after)
      .map(({ after }) => after as Item<E>);
  }

  /** Writes a new entity; an existing one with this key is a conflict. */
  create<E extends Entity>(of: E, item: Item<E>): Item<E> {
    const key = keyOf(this.tenant, of, item);
    const known = this.#held.get(identity(key));
    this.#held.set(identity(key), {
      entity: of,
      key,
      before: known?.before,
      after: item as Record<string, unknown>,
      isFresh: known === undefined,
    });
    return item;
  }

  /** Replaces an entity that this transaction has read. */
  update<E extends Entity>(of: E, item: Item<E>): Item<E> {
    const held = this.#held.get(identity(keyOf(this.tenant, of, item)));
    if (held === undefined) throw new Error(`${of.name} is updated without having been read`);
    held.after = item as Record<string, unknown>;
    const pending = this.#additions.get(identity(held.key));
    if (pending) {
      this.#additions.delete(identity(held.key));
      this.add(of, item, Object.fromEntries(pending.deltas));
    }
    return item;
  }

  /** Removes an entity that this transaction has read, with everything that stands beside it. */
  delete<E extends Entity>(of: E, item: Item<E>): void {
    const held = this.#held.get(identity(keyOf(this.tenant, of, item)));
    if (held === undefined) throw new Error(`${of.name} is deleted without having been read`);
    held.after = null;
  }

  /**
   * Adds to number attributes of an existing entity without reading it; `missing` is thrown when it is not there. The
   * attributes must not be part of an index copy.
   */
  add<E extends Entity>(of: E, place: Partial<Item<E>>, deltas: Record<string, number>, missing?: Problem): void {
    const key = keyOf(this.tenant, of, place as Item<E>);
    const held = this.#held.get(identity(key));
    if (held && held.after !== undefined && held.after !== null) {
      for (const [name, delta] of Object.entries(deltas))
        held.after[name] = ((held.after[name] as number | undefined) ?? 0) + delta;
      return;
    }
    const addition = this.#additions.get(identity(key)) ?? { key, deltas: new Map(), missing };
    for (const [name, delta] of Object.entries(deltas))
      addition.deltas.set(name, (addition.deltas.get(name) ?? 0) + delta);
    this.#additions.set(identity(key), addition);
  }

  /**
   * Adds to the tenant's counters under `group` and `name` (lib/table/counters.ts reads them). A counter is spread over
   * eight items by `spread`, so that concurrent writers rarely meet.
   */
  count(
    group: string,
    name: string,
    deltas: Record<string, number>,
    spread: number = Math.floor(Math.random() * 8),
  ): void {
    const key = { pk: partition(this.tenant, `count/${group}`), sk: `${name}#${spread % 8}` };
    const counter = this.#counts.get(identity(key)) ?? { key, deltas: new Map() };
    for (const [attribute, delta] of Object.entries(deltas))
      counter.deltas.set(attribute, (counter.deltas.get(attribute) ?? 0) + delta);
    this.#counts.set(identity(key), counter);
  }

  /** Demands that an entity, read or not, exists when the transaction commits; `missing` is thrown when it does not, or else the work runs again. */
  demand<E extends Entity>(of: E, place: Partial<Item<E>>, missing?: () => Problem): void {
    const key = keyOf(this.tenant, of, place as Item<E>);
    this.#demanded.set(identity(key), { key, missing });
  }

  /** Demands that an entity it has read, and does not change, is still the same when the transaction commits. */
  demandUnchanged<E extends Entity>(of: E, item: Item<E>): void {
    const held = this.#held.get(identity(keyOf(this.tenant, of, item)));
    if (held === undefined) throw new Error(`${of.name} is demanded without having been read`);
    if (held.before !== undefined) this.#pinned.add(held);
  }

  /** Any other DynamoDB action; `refusal` turns its failed condition into the answer. */
  write(action: Action, refusal?: Refusal): void {
    this.#raw.push({ action, refusal });
  }

  /** Does something once the commit has succeeded; should it fail, a plan (lib/table/plan.ts) does it later. */
  afterwards(step: () => Promise<void>): void {
    this.#afterwards.push(step);
  }

  /** Emits an event with this change (contract section 15); it gets its sequence after the commit. */
  emit(draft: EventDraft): void {
    this.#events.push({ ...draft, timestamp: this.now });
  }

  /** Records who did this, in the same transaction (contract section 18). */
  audit(entry: Record<string, unknown>): void {
    this.#audit = entry;
  }

  /** Whether anything would be written. */
  get isEmpty(): boolean {
    return this.size === 0;
  }

  /** How many actions `commit()` sends: up to a hundred in one transaction, more by way of a plan, also all or nothing. */
  get size(): number {
    return this.#changes().length + this.#raw.length + (this.#events.length > 0 || this.#audit ? 1 : 0);
  }

  /** Writes everything or nothing. Throws the refusal of a failed condition, or Overtaken when it is worth running again. */
  async commit(): Promise<void> {
    const changes = this.#changes();
    const outbox = outboxItems(this.tenant, this.id, this.now, this.actor, this.#events, this.#audit);
    const TableName = env('TABLE_NAME');
    const actions = [
      ...changes.map(conditional),
      ...this.#raw,
      ...outbox.map((Item) => ({ action: { Put: { TableName, Item } } })),
    ];
    if (fitsOne(actions)) {
      if (actions.length > 0) await send(actions, this.id);
    } else {
      await commitLarge(this, { changes, raw: this.#raw, events: this.#events, audit: this.#audit });
    }
    for (const step of this.#afterwards) {
      await step().catch((error) => log().warn('a plan is left to its worker', error as Error));
    }
  }

  #changes(): Change[] {
    const changes: Change[] = [];
    const changed = new Set<string>();
    for (const [name, held] of this.#held) {
      if (held.after === undefined) continue;
      changed.add(name);
      changes.push(...changesOf(this.tenant, held));
    }
    const pinned = new Map([...this.#pinned].map(({ key, before }) => [identity(key), versionOf(before as Stored)]));
    for (const { key, before } of this.#pinned) {
      const name = identity(key);
      if (!changed.has(name) && !this.#additions.has(name)) changes.push({ key, holds: versionOf(before as Stored) });
    }
    for (const [name, { key, missing }] of this.#demanded) {
      if (changed.has(name) || pinned.has(name) || this.#additions.has(name)) continue;
      changes.push({ key, holds: 'present', refusal: missing });
    }
    for (const [name, { key, deltas, missing }] of this.#additions) {
      if (changed.has(name)) throw new Error(`${name} is both replaced and added to`);
      const version = pinned.get(name);
      changes.push({
        key,
        add: { ...Object.fromEntries(deltas), v: 1 },
        holds: version ?? 'present',
        refusal: missing && version === undefined ? () => missing : undefined,
      });
    }
    for (const { key, deltas } of this.#counts.values()) {
      if ([...deltas.values()].some((delta) => delta !== 0)) changes.push({ key, add: Object.fromEntries(deltas) });
    }
    return changes;
  }

  async #hold(of: Entity, key: Key): Promise<Held> {
    const known = this.#held.get(identity(key));
    if (known) return known;
    const { Item } = await documentClient().send(
      new GetCommand({ TableName: env('TABLE_NAME'), Key: key, ConsistentRead: true }),
    );
    // A parallel read of the same item may have been first; a change may already be held there.
    const meanwhile = this.#held.get(identity(key));
    if (meanwhile) return meanwhile;
    const held: Held = { entity: of, key, before: Item as Stored | undefined, after: undefined, isFresh: false };
    this.#held.set(identity(key), held);
    return held;
  }
}

/** Ids fetched for one unit of work; kept over its repetitions, so that a conflict wastes none. */
export class IdPool {
  readonly #tenant: Tenant;
  #free = new Map<string, number[]>();

  constructor(tenant: Tenant) {
    this.#tenant = tenant;
  }

  /** Makes sure that so many ids are at hand, by entity name. */
  async reserve(counts: Record<string, number>, pk: string = partition(this.#tenant, 'ids')): Promise<void> {
    const wanted = Object.entries(counts)
      .map(([name, count]) => [name, count - this.#of(name).length] as const)
      .filter(([, count]) => count > 0);
    if (wanted.length === 0) return;
    const { Attributes } = await documentClient().send(
      new UpdateCommand({
        TableName: env('TABLE_NAME'),
        Key: { pk, sk: 'ids' },
        ...addition(wanted),
        ReturnValues: 'UPDATED_NEW',
      }),
    );
    for (const [name, count] of wanted) {
      const last = Attributes?.[name] as number;
      for (let id = last - count + 1; id <= last; id += 1) this.#of(name).push(id);
    }
  }

  /** A pool of its own with so many of the ids that are at hand. */
  split(counts: Record<string, number>): IdPool {
    const part = new IdPool(this.#tenant);
    for (const [name, count] of Object.entries(counts)) part.#of(name).push(...this.#of(name).splice(0, count));
    return part;
  }

  async next(of: Entity): Promise<number> {
    await this.reserve({ [of.name]: 1 }, entityPartition(this.#tenant, of, 'ids'));
    return this.#of(of.name).shift() as number;
  }

  #of(name: string): number[] {
    const ids = this.#free.get(name) ?? [];
    this.#free.set(name, ids);
    return ids;
  }
}

/**
 * Runs the work and commits it; runs it again on fresh reads when somebody else was faster. Returns what the work
 * returned. Raises 503 when it is overtaken for seconds on end.
 */
export async function transact<Result>(
  tenant: Tenant,
  actor: Actor,
  work: (tx: Transaction) => Promise<Result>,
  ids: IdPool = new IdPool(tenant),
): Promise<Result> {
  const deadline = Date.now() + 8_000;
  for (let attempt = 0; ; attempt += 1) {
    const tx = new Transaction(tenant, actor, ids);
    try {
      const result = await work(tx);
      await tx.commit();
      return result;
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
      if (Date.now() > deadline) throw unavailable(1, error);
      await sleep(Math.random() * Math.min(300, 10 * 2 ** attempt));
    }
  }
}

function current<E extends Entity>(of: E, held: Held): Item<E> | undefined {
  if (held.after !== undefined) return (held.after ?? undefined) as Item<E> | undefined;
  if (held.before === undefined || isAbsent(held.before)) return undefined;
  return parseStored(of, held.before);
}

/** What turns an item as it was read into what it shall be, index entries included. */
function changesOf(tenant: Tenant, { entity, key, before, after, isFresh }: Held): Change[] {
  const holds = before === undefined ? 'absent' : versionOf(before);
  const old =
    before === undefined
      ? new Map<string, Record<string, unknown> & Key>()
      : companions(tenant, entity, parseStored(entity, before));
  if (after === null || after === undefined) {
    if (before === undefined) return [];
    return [
      { key, item: null, holds },
      ...[...old.values()].map((companion) => ({ key: keyIn(companion), item: null })),
    ];
  }
  const expiresAtSeconds = entity.expiresAtSeconds?.(after);
  const item = {
    ...after,
    v: (before?.v ?? 0) + 1,
    ...(expiresAtSeconds === undefined ? {} : { expiresAtSeconds }),
  };
  const next = companions(tenant, entity, after);
  const changes: Change[] = [{ key, item, holds, isFresh }];
  for (const [name, companion] of next) {
    const was = old.get(name);
    if (was === undefined || JSON.stringify(was) !== JSON.stringify(companion))
      changes.push({ key: keyIn(companion), item: companion });
  }
  for (const [name, companion] of old) {
    if (!next.has(name)) changes.push({ key: keyIn(companion), item: null });
  }
  return changes;
}

const keyIn = ({ pk, sk }: Key): Key => ({ pk, sk });

/** The version that must still be there. An item that a large commit has locked is about to be another. */
function versionOf({ v: version, plan }: Stored): number {
  if (plan !== undefined) throw new Overtaken('locked by a large commit');
  return version;
}
