import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { timestamp } from '#lib/core/clock.ts';
import { log } from '#lib/core/log.ts';
import { conflict, notFound, type Problem } from '#lib/core/problem.ts';
import type { Actor, Tenant } from '#lib/core/tenant.ts';
import { bounded } from '../events/bounds.ts';
import { type Change, type Refusal, weightOf } from './change.ts';
import { notesOf } from './changed.ts';
import {
  type Entity,
  type Item,
  isArchived,
  isUniqueEntry,
  keyOf,
  nameShown,
  type Reference,
  type Where,
} from './entity.ts';
import { IdPool } from './ids.ts';
import { counterKey, identity, type Key, requireOwn, sortableId } from './keys.ts';
import type { Event, EventDraft } from './outbox.ts';
import { type Meter, unitsOf } from './pages.ts';
import { type Row, readRow, readRows } from './rows.ts';
import { bytesOf } from './size.ts';
import { isExpired, parseStored, readable, rowChanges, type Tracked, versionOf } from './stored.ts';
import { Sums, spreads } from './sums.ts';
import type { Write } from './write.ts';

const roomyActions = 80;
const roomyBytes = 2_000_000;

const archived = ({ name }: Entity) => conflict('archived', `the ${name} is archived: restore it before you change it`);

/** Changes that a unit of work has collected. */
export interface Work {
  changes: readonly Change[];
  /** With conditions of their own. */
  writes: readonly Change[];
  events: readonly Event[];
  audit: Record<string, unknown> | undefined;
}

const actionsIn = ({ changes, writes, events, audit }: Work): number =>
  changes.length + writes.length + (events.length > 0 || audit ? 1 : 0);

const bytesIn = ({ changes, writes, events }: Work): number =>
  [...changes, ...writes].reduce((bytes, change) => bytes + weightOf(change), bytesOf(events));

/**
 * A unit of work: what it reads it remembers, what it changes is written at once or not at all by `commit()`, together
 * with its index entries, counters and events. Every entity it has read and changes must still be what it read.
 */
export class UnitOfWork {
  readonly tenant: Tenant;
  readonly actor: Actor;
  readonly now: string;
  readonly id: string;
  /** Its lists are for an answer alone, and leave out what cannot be read; where something is decided by a list, that fails. */
  readonly isForAnswer: boolean;
  /** It is a caller's, who changes no archived entity but by a restore. */
  refusesArchived = false;
  /** It emits no events. */
  isSilent = false;
  /** It has room for one row alone, with what goes with it. */
  isForOneRow = false;
  /** The index entries of its new rows are written (lib/table/commit.ts). */
  hasEntriesAhead = false;
  /** A saga removes the index entries of its deleted rows (lib/table/transact.ts). */
  leavesEntries = false;
  /** Which rows of spread counters it counts in, for work that knows who else is at it; else its first entity says that. */
  spread: number | undefined;
  /** Whether the sagas that it began go on before the answer; those of a batch share one deadline. */
  mayGoOn: (() => Promise<boolean>) | undefined;
  #tracked = new Map<string, Tracked>();
  #pinned = new Map<string, { key: Key; before: Row }>();
  #required = new Map<string, { key: Key; missing: (() => Problem) | undefined }>();
  #counts = new Sums();
  #additions = new Map<string, Addition>();
  #writes: Change[] = [];
  #afterwards: (() => Promise<void>)[] = [];
  #otherwise: (() => Promise<void>)[] = [];
  #events: Event[] = [];
  #audit: Record<string, unknown> | undefined;
  #ids: IdPool;

  constructor(tenant: Tenant, actor: Actor, ids: IdPool = new IdPool(tenant), { isForAnswer = false } = {}) {
    this.tenant = tenant;
    this.actor = actor;
    this.#ids = ids;
    this.isForAnswer = isForAnswer;
    this.id = randomUUID();
    this.now = timestamp();
  }

  /** One that reads for an answer, and writes nothing. */
  static forAnswer(tenant: Tenant, actor: Actor): UnitOfWork {
    return new UnitOfWork(tenant, actor, undefined, { isForAnswer: true });
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

  /** An id that was fetched along with others; undefined where there is none. */
  spareId(of: Entity): number | undefined {
    return this.#ids.spare(of);
  }

  /** The entity, or undefined; strongly consistent, and with the changes of this unit of work. `place` names what its partition and key derive from. */
  async find<E extends Entity>(of: E, place: Partial<Item<E>>): Promise<Item<E> | undefined> {
    const tracked = await this.#track(of, keyOf(this.tenant, of, place));
    return current(of, tracked);
  }

  /** The entity, or a 404 problem. Raises 409 `archived` where a caller's work is about an archived one. */
  async get<E extends Entity>(
    of: E,
    place: Partial<Item<E>>,
    missing: () => Problem = () => notFound(of.name),
  ): Promise<Item<E>> {
    const found = await this.find(of, place);
    if (found === undefined) throw missing();
    if (this.refusesArchived && isArchived(of, found)) throw archived(of);
    return found;
  }

  /** Returns the entities that exist, in the order asked for; one round trip per hundred. */
  async findAll<E extends Entity>(of: E, places: readonly Partial<Item<E>>[]): Promise<Item<E>[]> {
    return this.findAllByKey(
      of,
      places.map((place) => keyOf(this.tenant, of, place)),
    );
  }

  /**
   * As `findAll`, by keys that an index entry holds, and only those that are wanted; what is not is not remembered. Throws for a
   * key of another tenant, and for what cannot be read unless that is left out. `meter` counts what is read.
   */
  async findAllByKey<E extends Entity>(
    of: E,
    keys: readonly Key[],
    isWanted: (item: Item<E>) => boolean = () => true,
    leavesOut = false,
    meter?: Pick<Meter, 'unitsLeft'>,
  ): Promise<Item<E>[]> {
    for (const key of keys) requireOwn(this.tenant, key, of.partitionKey !== undefined);
    const unknown = keys.filter((key) => !this.#tracked.has(identity(key)));
    const read = await readRows(unknown);
    if (meter) for (const key of unknown) meter.unitsLeft -= unitsOf(bytesOf(read.get(identity(key))));
    return keys.flatMap((key) => this.#holdIf(of, key, read.get(identity(key)), isWanted, leavesOut));
  }

  /** Lets a list share what it has read, so that a later change of it is conditional on it. */
  remember<E extends Entity>(of: E, stored: Row): Item<E> {
    return this.rememberIf(of, stored, () => true, false)[0] as Item<E>;
  }

  /** The same for what is wanted of it, one item or none; what cannot be read may be left out. */
  rememberIf<E extends Entity>(
    of: E,
    stored: Row,
    isWanted: (item: Item<E>) => boolean,
    leavesOut: boolean,
  ): Item<E>[] {
    return this.#holdIf(of, { pk: stored.pk, sk: stored.sk }, stored, isWanted, leavesOut);
  }

  #holdIf<E extends Entity>(
    of: E,
    key: Key,
    before: Row | undefined,
    isWanted: (item: Item<E>) => boolean,
    leavesOut: boolean,
  ): Item<E>[] {
    const name = identity(key);
    const known = this.#tracked.get(name);
    const tracked = known ?? { entity: of, key, before, after: undefined, isNewKey: false };
    const item = current(of, tracked, leavesOut ? readable : parseStored);
    if (item !== undefined && !isWanted(item)) return [];
    this.#tracked.set(name, tracked);
    return item === undefined ? [] : [item];
  }

  /** The entities of a kind that this unit of work has written so far, which no list shows yet. */
  written<E extends Entity>(of: E): Item<E>[] {
    return [...this.#tracked.values()]
      .filter(({ entity, after }) => entity === of && after)
      .map(({ after }) => after as Item<E>);
  }

  /** Writes a new entity; an existing one with this key is a conflict. */
  create<E extends Entity>(of: E, item: Item<E>): Item<E> {
    const key = keyOf(this.tenant, of, item);
    const known = this.#tracked.get(identity(key));
    this.#tracked.set(identity(key), {
      entity: of,
      key,
      before: known?.before,
      after: item as Record<string, unknown>,
      isNewKey: known === undefined,
    });
    return item;
  }

  /** Replaces an entity that this unit of work has read. Raises 409 `archived` where a caller changes what stays archived. */
  update<E extends Entity>(of: E, item: Item<E>): Item<E> {
    const tracked = this.#tracked.get(identity(keyOf(this.tenant, of, item)));
    if (tracked === undefined) throw new Error(`${of.name} is updated without having been read`);
    if (this.refusesArchived && isArchived(of, tracked.before) && isArchived(of, item)) throw archived(of);
    tracked.after = item as Record<string, unknown>;
    const pending = this.#additions.get(identity(tracked.key));
    if (pending) {
      this.#additions.delete(identity(tracked.key));
      this.add(of, item, Object.fromEntries(pending.deltas));
    }
    return item;
  }

  /** Leaves the entries that an entity has in an index, where they may be more than a transaction takes, to a saga of the caller's. */
  leaveEntries<E extends Entity>(of: E, item: Item<E>, index: string & keyof Where<E>): void {
    const tracked = this.#tracked.get(identity(keyOf(this.tenant, of, item)));
    if (tracked !== undefined) tracked.leaves = index;
  }

  /** Removes an entity that this unit of work has read, with everything that stands beside it. */
  delete<E extends Entity>(of: E, item: Item<E>): void {
    const tracked = this.#tracked.get(identity(keyOf(this.tenant, of, item)));
    if (tracked === undefined) throw new Error(`${of.name} is deleted without having been read`);
    tracked.after = null;
  }

  /**
   * Adds to number attributes of an existing entity without reading it; `missing` is thrown when it is not there. The
   * attributes must not be part of an index copy or of a counter.
   */
  add<E extends Entity>(of: E, place: Partial<Item<E>>, deltas: Record<string, number>, missing?: Problem): void {
    const key = keyOf(this.tenant, of, place);
    const tracked = this.#tracked.get(identity(key));
    if (tracked && tracked.after !== undefined && tracked.after !== null) {
      for (const [name, delta] of Object.entries(deltas))
        tracked.after[name] = Number(tracked.after[name] ?? 0) + delta;
      return;
    }
    const addition: Addition = this.#additions.get(identity(key)) ?? { key, deltas: new Map(), missing };
    for (const [name, delta] of Object.entries(deltas)) {
      addition.deltas.set(name, (addition.deltas.get(name) ?? 0) + delta);
      if (!of.countedBeside?.includes(name)) addition.raisesVersion = true;
    }
    this.#additions.set(identity(key), addition);
  }

  /**
   * Adds to the tenant's counters under `group` and `name` what does not follow from one row alone, as its entity's declared
   * counters do. A counter is spread over eight items by `spread`, so that concurrent writers rarely meet.
   */
  count(
    group: string,
    name: string,
    deltas: Record<string, number>,
    spread: number = Math.floor(Math.random() * spreads),
  ): void {
    this.#counts.add(counterKey(this.tenant, group, name, spread % spreads), deltas);
  }

  /** Requires that an entity, read or not, exists when the transaction commits; `missing` is thrown when it does not, or else the work runs again. */
  requireExists<E extends Entity>(of: E, place: Partial<Item<E>>, missing?: () => Problem): void {
    const key = keyOf(this.tenant, of, place);
    this.#required.set(identity(key), { key, missing });
  }

  /** Requires that an entity it has read, and does not change, is still the same when the transaction commits. */
  requireUnchanged<E extends Entity>(of: E, item: Item<E>): void {
    const tracked = this.#tracked.get(identity(keyOf(this.tenant, of, item)));
    if (tracked === undefined) throw new Error(`${of.name} is required without having been read`);
    const { key, before } = tracked;
    if (before !== undefined) this.#pinned.set(identity(key), { key, before });
  }

  /**
   * Any other write of a row, of which it is the only one; `refusal` turns its failed condition into the answer. Returns it: what is
   * changed in it before the commit counts.
   */
  write(write: Write, refusal?: Refusal): Write {
    const change = { ...write, refusal };
    this.#writes.push(change);
    return change;
  }

  /** Does something once the commit has succeeded; should it fail, a saga (lib/table/saga.ts) does it later, or nobody. */
  afterwards(step: () => Promise<void>): void {
    this.#afterwards.push(step);
  }

  /** Undoes something that was done ahead of the commit, should nothing be written. */
  otherwise(step: () => Promise<void>): void {
    this.#otherwise.push(step);
  }

  /** Nothing was or will be written. */
  async abandon(): Promise<void> {
    for (const step of this.#otherwise)
      await step().catch((error) => log().warn('what was done ahead of a commit is not undone', error as Error));
  }

  /** Emits an event with this change (contract section 15) unless it is silent, its longest texts cut; it gets its sequence after the commit. */
  emit(draft: EventDraft): void {
    if (!this.isSilent) this.#events.push({ ...bounded(draft), timestamp: this.now });
  }

  /** Records who did this, in the same transaction (contract section 18). */
  audit(entry: Record<string, unknown>): void {
    this.#audit = entry;
  }

  /** Whether anything would be written. */
  get isEmpty(): boolean {
    return actionsIn(this.work) === 0;
  }

  /** Whether another row, with up to fifteen index entries and a megabyte, still fits one transaction of DynamoDB. */
  get hasRoom(): boolean {
    if (this.isForOneRow) return [...this.#tracked.values()].every(({ after }) => after === undefined);
    const { work } = this;
    return actionsIn(work) <= roomyActions && bytesIn(work) <= roomyBytes;
  }

  /** Whether another row still fits where the index entries of new rows are written ahead of the commit (lib/table/commit.ts). */
  get hasRoomAhead(): boolean {
    const { work } = this;
    const changes = work.changes.filter(({ isEntryOfNewKey }) => !isEntryOfNewKey);
    return actionsIn({ ...work, changes }) <= roomyActions && bytesIn(work) <= roomyBytes;
  }

  /** Returns the writes of a commit. */
  get work(): Work {
    return { changes: this.#changes(), writes: this.#writes, events: this.#events, audit: this.#audit };
  }

  /** Is called when that is written. */
  async committed(): Promise<void> {
    for (const step of this.#afterwards) {
      await step().catch((error) => log().warn('what follows a commit is not done now', { error }));
    }
  }

  #changes(): Change[] {
    const changes: Change[] = [];
    const changed = new Set<string>();
    const counts = new Sums(this.#counts, this.spread);
    const additions = this.#allAdditions();
    const shown = new Set(
      this.#newlyNamed(({ shows, holds }) => shows !== undefined || holds?.renamed !== undefined).map(([name]) => name),
    );
    for (const [name, tracked] of this.#tracked) {
      if (tracked.after === undefined) continue;
      changed.add(name);
      const after = tracked.after && shown.has(name) ? { ...tracked.after, [nameShown]: true } : tracked.after;
      const counted = after && withCounts(after, additions.get(name)?.counted);
      changes.push(...rowChanges(this.tenant, { ...tracked, after: counted }));
      counts.addChange(this.tenant, tracked);
    }
    const pins = new Map([...this.#newlyPinned(), ...this.#pinned]);
    const pinned = new Map([...pins].map(([name, { before }]) => [name, versionOf(before)]));
    const markOf = (name: string) =>
      shown.has(name) && pins.get(name)?.before[nameShown] !== true ? { set: { [nameShown]: true } } : undefined;
    for (const [name, { key, before }] of pins) {
      if (changed.has(name) || additions.has(name)) continue;
      const mark = markOf(name);
      changes.push({
        key,
        ...(mark && { ...mark, add: { v: 1 } }),
        expectedVersion: pinned.get(name),
        storedBytes: bytesOf(before),
      });
    }
    for (const [name, { key, missing }] of this.#required) {
      if (changed.has(name) || pinned.has(name) || additions.has(name)) continue;
      changes.push({ key, expectedVersion: 'present', refusal: missing, ...this.#met(name) });
    }
    for (const [name, { key, deltas, missing, raisesVersion }] of additions) {
      if (deltas.size > 0 && this.#additions.has(name) && changed.has(name))
        throw new Error(`${name} is both replaced and added to`);
      if (deltas.size === 0 || changed.has(name)) continue;
      const version = pinned.get(name);
      const mark = markOf(name);
      changes.push({
        key,
        ...mark,
        add: { ...Object.fromEntries(deltas), ...((mark || raisesVersion) && { v: 1 }) },
        expectedVersion: version ?? 'present',
        refusal: missing && version === undefined ? () => missing : undefined,
        ...this.#met(name),
      });
    }
    const own = withoutReplaced(changes).filter(
      ({ isEntryOfNewKey, isEntryOfDeleted }) =>
        !(isEntryOfNewKey && this.hasEntriesAhead) && !(isEntryOfDeleted && this.leavesEntries),
    );
    return [...own, ...notesOf(this, [...own, ...this.#writes]), ...counts.changes()];
  }

  /** Everything that is added to rows, with what rows count of those that name them (`counts` of references). */
  #allAdditions(): Map<string, Addition> {
    const all = new Map<string, Addition>(
      [...this.#additions].map(([name, addition]) => [name, { ...addition, deltas: new Map(addition.deltas) }]),
    );
    for (const [name, { key, counted }] of this.#countedReferences()) {
      const known = all.get(name) ?? { key, deltas: new Map(), missing: undefined };
      for (const [attribute, delta] of counted) known.deltas.set(attribute, (known.deltas.get(attribute) ?? 0) + delta);
      all.set(name, { ...known, counted });
    }
    return all;
  }

  /** By how much the counts of rows change. One that is known to be gone counts nothing any more. */
  #countedReferences(): Map<string, { key: Key; counted: Map<string, number> }> {
    const found = new Map<string, { key: Key; counted: Map<string, number> }>();
    for (const { entity, before, after } of this.#tracked.values()) {
      const counting =
        after === undefined ? [] : (entity.references ?? []).filter(({ counts }) => counts !== undefined);
      for (const reference of counting) {
        const deltas = new Map<number, number>();
        for (const [row, delta] of [[before, -1] as const, [after, 1] as const]) {
          if (!row || isArchived(entity, row) || reference.isCounted?.(row) === false) continue;
          for (const id of idsIn(row, reference)) deltas.set(Number(id), (deltas.get(Number(id)) ?? 0) + delta);
        }
        for (const [id, delta] of deltas) {
          const key = keyOf(this.tenant, { name: reference.to } as Entity, { id });
          const other = this.#tracked.get(identity(key));
          const isGone = other !== undefined && (other.after === null || (!other.before && !other.after));
          if (delta === 0 || isGone) continue;
          const { counted } = found.get(identity(key)) ?? { counted: new Map<string, number>() };
          const name = String(reference.counts);
          found.set(identity(key), { key, counted: counted.set(name, (counted.get(name) ?? 0) + delta) });
        }
      }
    }
    return found;
  }

  /** How large a row is that is not written as a whole, where that is known. */
  #met(name: string): Pick<Change, 'storedBytes'> {
    const before = this.#tracked.get(name)?.before;
    return before ? { storedBytes: bytesOf(before) } : {};
  }

  /** The mergeable entities that a row did not name before, as they were read, unless it is enough that they are there. */
  #newlyPinned(): [string, { key: Key; before: Row }][] {
    return this.#newlyNamed(() => true).flatMap(([name, { key, before }]) =>
      before && !this.#required.has(name) ? [[name, { key, before }]] : [],
    );
  }

  /** The mergeable entities that a row did not name by such a reference before. */
  #newlyNamed(isMeant: (reference: Reference) => boolean): [string, Tracked][] {
    const tracked = [...this.#tracked];
    const named = new Set(tracked.flatMap(([, row]) => beginsToName(row, isMeant)));
    return tracked.filter(([, { entity, key }]) => entity.isMergeable && named.has(`${entity.name} ${key.sk}`));
  }

  async #track(of: Entity, key: Key): Promise<Tracked> {
    const known = this.#tracked.get(identity(key));
    if (known) return known;
    const before = await readRow(key);
    // A parallel read of the same item may have been first; a change may already be tracked there.
    const meanwhile = this.#tracked.get(identity(key));
    if (meanwhile) return meanwhile;
    const tracked: Tracked = { entity: of, key, before, after: undefined, isNewKey: false };
    this.#tracked.set(identity(key), tracked);
    return tracked;
  }
}

/** An addition to a row that is not written as a whole; `counted` is the part of it that its references come to. */
interface Addition {
  key: Key;
  deltas: Map<string, number>;
  missing: Problem | undefined;
  counted?: Map<string, number>;
  /** It adds to an attribute that is not `countedBeside`. */
  raisesVersion?: true;
}

/** A row that is written as a whole, with what it counts besides. */
const withCounts = (row: Record<string, unknown>, counted: ReadonlyMap<string, number> = new Map()) =>
  counted.size === 0
    ? row
    : { ...row, ...Object.fromEntries([...counted].map(([name, delta]) => [name, Number(row[name] ?? 0) + delta])) };

/** The ids by which a row names another entity. */
const idsIn = (row: Readonly<Record<string, unknown>>, { field, holds }: Reference): unknown[] =>
  holds ? [...holds.ids(row)] : [row[field] ?? []].flat();

/** The entities that a row names and did not name before: `contact 0000000007`. */
const beginsToName = (
  { entity: { references = [] }, before, after }: Tracked,
  isMeant: (reference: Reference) => boolean,
): string[] =>
  after
    ? references
        .filter(
          (reference) =>
            reference.with === undefined &&
            isMeant(reference) &&
            !isDeepStrictEqual(after[reference.field], before?.[reference.field]),
        )
        .flatMap((reference) => idsIn(after, reference).map((id) => `${reference.to} ${sortableId(Number(id))}`))
    : [];

/**
 * Drops the removal of an entry that another row of the same commit writes anew. That one is written with the commit and never ahead
 * of it: until then it is the other row's.
 */
function withoutReplaced(changes: readonly Change[]): Change[] {
  const written = new Set(changes.flatMap(({ key, item }) => (item ? [identity(key)] : [])));
  const removed = new Set(changes.flatMap(({ key, item }) => (item === null ? [identity(key)] : [])));
  return changes
    .filter(({ key, item }) => item !== null || !written.has(identity(key)))
    .map((change) => {
      if (!removed.has(identity(change.key))) return change;
      // It takes the place of the other row's entry, which is there.
      if (isUniqueEntry(change.key)) return { ...change, expectedVersion: undefined };
      return change.isEntryOfNewKey ? { ...change, isEntryOfNewKey: false } : change;
    });
}

function current<E extends Entity>(
  of: E,
  tracked: Tracked,
  read: (of: E, stored: Row) => Item<E> | undefined = parseStored,
): Item<E> | undefined {
  if (tracked.after !== undefined) return (tracked.after ?? undefined) as Item<E> | undefined;
  if (tracked.before === undefined || isExpired(tracked.before)) return undefined;
  return read(of, tracked.before);
}
