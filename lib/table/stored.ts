import * as v from 'valibot';
import { epochSeconds } from '#lib/core/clock.ts';
import { log } from '#lib/core/log.ts';
import { measure } from '#lib/core/metrics.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import type { Change } from './change.ts';
import {
  type Entity,
  entriesPartition,
  type Item,
  indexEntries,
  isUniqueEntry,
  keyOf,
  latestVersion,
  writtenBy,
} from './entity.ts';
import type { Key } from './keys.ts';
import type { Row } from './rows.ts';
import { bytesOf } from './size.ts';

/** An entity as a unit of work has read it and as it shall be. */
export interface Tracked {
  entity: Entity;
  key: Key;
  /** As it was read; undefined when it was not there. `v` is its version. */
  before: Row | undefined;
  after: Record<string, unknown> | null | undefined;
  /** Created without having been looked for: its id is known to nobody else. */
  isNewKey: boolean;
  /** The index whose entries a saga writes and removes. */
  leaves?: string | undefined;
}

/** Whether a stored item is past its time: DynamoDB removes it only days later. */
export const isExpired = ({ expiresAtSeconds }: Record<string, unknown>) =>
  typeof expiresAtSeconds === 'number' && expiresAtSeconds <= epochSeconds();

/** The version of the entity that wrote a stored item; the first one leaves no mark. */
export const writtenAs = (stored: Readonly<Record<string, unknown>>): number =>
  typeof stored['entityVersion'] === 'number' ? stored['entityVersion'] : 1;

/**
 * The entity that a stored item holds, whatever version wrote it; what a newer one has added is passed over. Throws when it does not
 * fit the declaration.
 */
export function parseStored<E extends Entity>(of: E, stored: Record<string, unknown>): Item<E> {
  let form = stored;
  for (const upgrade of (of.upgrades ?? []).slice(writtenAs(stored) - 1)) form = upgrade(form);
  return v.parse(of.schema, form);
}

/** The entity that a stored row holds. Undefined, with a line of the log and a metric, where it does not fit the declaration. */
export function readable<E extends Entity>(of: E, stored: Row): Item<E> | undefined {
  try {
    return parseStored(of, stored);
  } catch (error) {
    const reason = error instanceof Error ? error.name : 'unknown';
    log().error('a row cannot be read', { pk: stored.pk, sk: stored.sk, reason });
    measure({ entity: of.name }, { unreadableRows: 1 });
    return undefined;
  }
}

/** An item in the form in which this version writes it. */
export function formOf<E extends Entity>(of: E, item: Item<E>): Record<string, unknown> {
  const expiresAtSeconds = of.expiresAtSeconds?.(item);
  const latest = latestVersion(of);
  return {
    ...(item as Record<string, unknown>),
    ...(latest === 1 ? {} : { entityVersion: latest }),
    ...(expiresAtSeconds === undefined ? {} : { expiresAtSeconds }),
  };
}

/** Returns the changes from an item as it was read to its next state, index entries included. */
export function rowChanges(tenant: Tenant, { leaves, ...row }: Tracked): Change[] {
  const changes = changesOf(tenant, row);
  const left = leaves && `${entriesPartition(tenant, row.entity, leaves)}=`;
  return left === undefined ? changes : changes.filter(({ key: { pk } }) => !pk.startsWith(left));
}

function changesOf(tenant: Tenant, { entity, key, before, after, isNewKey }: Tracked): Change[] {
  const expectedVersion = before === undefined ? 'absent' : versionOf(before);
  const storedBytes = before && bytesOf(before);
  const old =
    before === undefined
      ? new Map<string, Record<string, unknown> & Key>()
      : indexEntries(tenant, entity, parseStored(entity, before), writtenBy(writtenAs(before)));
  if (after === null || after === undefined) {
    if (before === undefined) return [];
    return [
      { key, item: null, expectedVersion, storedBytes },
      ...[...old.values()].map((entry) => ({
        ...{ key: keyIn(entry), item: null },
        isEntryOfDeleted: entity.sortKey === undefined && entry['of'] !== undefined,
      })),
    ];
  }
  const next = formOf(entity, after);
  const item = { ...next, v: Number(before?.['v'] ?? 0) + 1 };
  const beside = indexEntries(tenant, entity, after);
  const { countedBeside } = entity;
  const changes: Change[] = [
    countedBeside === undefined || before === undefined || isExpired(before)
      ? { key, item, expectedVersion, storedBytes }
      : { ...besideCounts(countedBeside, before, key, next), storedBytes },
  ];
  for (const [name, entry] of beside) {
    const was = old.get(name);
    const isOnly = isUniqueEntry(entry);
    if (was === undefined && isOnly) changes.push({ key: keyIn(entry), item: entry, expectedVersion: 'absent' });
    else if (was === undefined || JSON.stringify(was) !== JSON.stringify(entry))
      changes.push({
        key: keyIn(entry),
        item: entry,
        isEntryOfNewKey: isNewKey && entry['of'] !== undefined && !isOnly,
      });
  }
  for (const [name, entry] of old) {
    if (!beside.has(name)) changes.push({ key: keyIn(entry), item: null });
  }
  return changes;
}

/** The rows that a new item comes to, index entries included, where it is written without a transaction. */
export const freshRows = <E extends Entity>(tenant: Tenant, entity: E, item: Item<E>): Row[] =>
  rowChanges(tenant, {
    entity,
    key: keyOf(tenant, entity, item),
    before: undefined,
    after: item as Record<string, unknown>,
    isNewKey: true,
  }).map(({ key, item: row }) => ({ ...row, ...key }));

/** A new state of an item that keeps what others have counted in it since it was read. */
function besideCounts(countedBeside: readonly string[], before: Row, key: Key, after: Record<string, unknown>): Change {
  const added = countedBeside.flatMap((name) => {
    const delta = Number(after[name]) - Number(before[name] ?? 0);
    return delta ? [[name, delta]] : [];
  });
  const own = (item: Record<string, unknown>) =>
    Object.entries(item).filter(([name]) => !['pk', 'sk', 'v', ...countedBeside].includes(name));
  return {
    key,
    add: { v: 1, ...Object.fromEntries(added) },
    set: Object.fromEntries(own(after).filter(([, value]) => value !== undefined)),
    remove: own(before).flatMap(([name]) => (after[name] === undefined ? [name] : [])),
    expectedVersion: versionOf(before),
  };
}

const keyIn = ({ pk, sk }: Key): Key => ({ pk, sk });

/** The version that must still be there. */
export const versionOf = ({ v: version }: Row): number | undefined =>
  typeof version === 'number' ? version : undefined;
