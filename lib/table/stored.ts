import * as v from 'valibot';
import { epochSeconds } from '../clock.ts';
import { log } from '../log.ts';
import { measure } from '../metrics.ts';
import type { Tenant } from '../tenant.ts';
import type { Change } from './change.ts';
import {
  type Entity,
  entriesPartition,
  entryRows,
  type IsWritten,
  type Item,
  indexEntries,
  keyOf,
  latestVersion,
  writtenBy,
} from './entity.ts';
import { identity, type Key, rowKey, scopeKey } from './keys.ts';
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
  isFresh: boolean;
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

/**
 * By what a stored item is found and counted: as it stands, as far as its version wrote that; and as a newer version wrote it before
 * an older one, which did not know of the rest, wrote over it.
 */
export function formsOf<E extends Entity>(of: E, stored: Row): { item: Item<E>; isWritten: IsWritten }[] {
  const isWritten = writtenBy(writtenAs(stored));
  const newer = rowIn(stored, 'newer');
  const forms = [{ item: parseStored(of, stored), isWritten }];
  if (newer === undefined || writtenAs(newer) > latestVersion(of)) return forms;
  const isByNewer = writtenBy(writtenAs(newer));
  return [...forms, { item: parseStored(of, newer), isWritten: (span) => isByNewer(span) && !isWritten(span) }];
}

/** An item in the form in which this version writes it. */
export function formOf<E extends Entity>(of: E, item: Item<E>): Record<string, unknown> {
  const expiresAtSeconds = of.expiresAtSeconds?.(item);
  const latest = latestVersion(of);
  return {
    ...of.forOlder?.(item),
    ...(item as Record<string, unknown>),
    ...(latest === 1 ? {} : { entityVersion: latest }),
    ...(expiresAtSeconds === undefined ? {} : { expiresAtSeconds }),
  };
}

/** What turns an item as it was read into what it shall be, index entries included. */
export function rowChanges(tenant: Tenant, { leaves, ...row }: Tracked): Change[] {
  const changes = changesOf(tenant, row);
  const left = leaves && `${entriesPartition(tenant, row.entity, leaves)}=`;
  return left === undefined ? changes : changes.filter(({ key: { pk } }) => !pk.startsWith(left));
}

function changesOf(tenant: Tenant, { entity, key, before, after, isFresh }: Tracked): Change[] {
  const holds = before === undefined ? 'absent' : versionOf(before);
  const stands = before && bytesOf(before);
  const old =
    before === undefined ? new Map<string, Record<string, unknown> & Key>() : besideOf(tenant, entity, before);
  const newer = before && newerOf(entity, before);
  if (after === null || after === undefined) {
    if (before === undefined) return [];
    return [
      { key, item: null, holds, stands },
      ...[...old.values()].map((entry) => ({ key: keyIn(entry), item: null })),
      ...(newer === undefined ? [] : [{ key: leftBehindKey(tenant, entity, key), item: { newer } }]),
    ];
  }
  const next = { ...formOf(entity, after), ...(newer === undefined ? {} : { newer }) };
  const item = { ...next, v: Number(before?.['v'] ?? 0) + 1 };
  const beside = indexEntries(tenant, entity, after);
  const { countedBeside } = entity;
  const changes: Change[] = [
    countedBeside === undefined || before === undefined || isExpired(before)
      ? { key, item, holds, stands }
      : { ...besideCounts(countedBeside, before, key, next), stands },
  ];
  for (const [name, entry] of beside) {
    const was = old.get(name);
    if (was === undefined || JSON.stringify(was) !== JSON.stringify(entry))
      changes.push({ key: keyIn(entry), item: entry, isOfNew: isFresh && entry['of'] !== undefined });
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
    isFresh: true,
  }).map(({ key, item: row }) => ({ ...row, ...key }));

/** What stands beside a stored item. */
function besideOf(tenant: Tenant, of: Entity, before: Row): Map<string, Record<string, unknown> & Key> {
  const [own, ...others] = formsOf(of, before);
  return new Map([
    ...others.flatMap(({ item, isWritten }) => [...entryRows(tenant, of, item, isWritten)]),
    ...(own === undefined ? [] : indexEntries(tenant, of, own.item, own.isWritten)),
  ]);
}

/** What a version that this code does not know wrote, in the item or over which the item was written. It is kept for that version. */
function newerOf(of: Entity, before: Row): Row | undefined {
  const { newer: _, ...own } = before;
  const newer = rowIn(before, 'newer');
  if (writtenAs(before) > latestVersion(of)) return own;
  return newer !== undefined && writtenAs(newer) > latestVersion(of) ? newer : undefined;
}

/** A row that is kept in another one. */
export function rowIn(row: Row, name: string): Row | undefined {
  const inner = row[name];
  return typeof inner === 'object' && inner !== null && 'pk' in inner && 'sk' in inner ? (inner as Row) : undefined;
}

/** Where it is kept when the item is removed. */
const leftBehindKey = (tenant: Tenant, of: Entity, key: Key): Key =>
  rowKey('leftBehind', { scope: scopeKey(tenant, of), entity: of.name, place: identity(key) });

/** A new state of an item that leaves alone what others have counted in it since it was read. */
function besideCounts(countedBeside: readonly string[], before: Row, key: Key, after: Record<string, unknown>): Change {
  const own = (item: Record<string, unknown>) =>
    Object.entries(item).filter(([name]) => !['pk', 'sk', 'v', ...countedBeside].includes(name));
  return {
    key,
    add: { v: 1 },
    set: Object.fromEntries(own(after).filter(([, value]) => value !== undefined)),
    remove: own(before).flatMap(([name]) => (after[name] === undefined ? [name] : [])),
    holds: versionOf(before),
  };
}

const keyIn = ({ pk, sk }: Key): Key => ({ pk, sk });

/** The version that must still be there. */
export const versionOf = ({ v: version }: Row): number | undefined =>
  typeof version === 'number' ? version : undefined;
