import * as v from 'valibot';
import { dayMs, epochSeconds, secondMs, timestamp } from '#lib/clock.ts';
import { entities } from '#lib/entities/all.ts';
import { BusBacklogs, BusRetries } from '#lib/entities/bus-backlog.ts';
import { Contacts, MergedContacts, Upserts } from '#lib/entities/contact.ts';
import { Deals } from '#lib/entities/deal.ts';
import { Deliveries, DeliveryIds } from '#lib/entities/delivery.ts';
import { EmailMessages, MessageIds } from '#lib/entities/email-message.ts';
import { Threads } from '#lib/entities/email-thread.ts';
import { Enrollments } from '#lib/entities/enrollment.ts';
import { Exports } from '#lib/entities/export.ts';
import { Feed } from '#lib/entities/feed-event.ts';
import { Files } from '#lib/entities/file.ts';
import { Jobs } from '#lib/entities/job.ts';
import { Members } from '#lib/entities/member.ts';
import { Messages, type StoredAttachment } from '#lib/entities/message.ts';
import { IngestedRows } from '#lib/entities/revenue-source.ts';
import { maxTagName, sameName, TagNames, Tags } from '#lib/entities/tag.ts';
import { Transactions } from '#lib/entities/transaction.ts';
import { Transfers } from '#lib/entities/transfer.ts';
import { Endpoints } from '#lib/entities/webhook.ts';
import { Dispatches } from '#lib/entities/webhook-dispatch.ts';
import { FanOutRetries, FanOuts } from '#lib/entities/webhook-fan-out.ts';
import { Healths } from '#lib/entities/webhook-health.ts';
import { ReplayQueues } from '#lib/entities/webhook-replays.ts';
import { placeholderEmail, Workspaces } from '#lib/entities/workspace.ts';
import { AnyEvent } from '#lib/feed/list.ts';
import { fieldErrors } from '#lib/fields.ts';
import {
  duePrefix,
  type Entity,
  fieldsWithin,
  type Item,
  indexEntries,
  keyOf,
  kindOf,
  latestVersion,
  parentOf,
  storedName,
  writtenBy,
} from '#lib/table/entity.ts';
import { identity, isLike, type Key, lockedBy, rowKeys, sortableId } from '#lib/table/keys.ts';
import type { Row } from '#lib/table/rows.ts';
import { unfitness } from '#lib/table/size.ts';
import { formOf, parseStored, writtenAs } from '#lib/table/stored.ts';
import type { Environment, Tenant } from '#lib/tenant.ts';
import { firstCharacters, pluralOf } from '#lib/text.ts';
import { excess } from './excess.ts';
import { divided, entityIn, kindOfPartition } from './kinds.ts';
import { mended, misfit } from './strict.ts';

/** The first line of an archive. The lines after it are rows, the last one is the trailer. */
export const Header = v.object({
  format: v.literal('crm-workspace', 'is not a workspace archive'),
  // Version 1 also held what stands beside the rows.
  version: v.picklist([1, 2], 'is of a version that this release does not read'),
  workspaceId: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  exportedAt: v.string(),
});

/**
 * There is room for as many again: what is counted on from 2^53 stays where it is, and ids end with 32 bits. Whoever walks all rows that
 * lie with their parents asks for every id that a parent can have.
 */
const maxNumbers = { id: 2 ** 30, parent: 2 ** 25, sequence: 2 ** 39, sum: 1e24 };

/** The numbers of an item that are counted on from. */
const versionsAndSequences = ['v', 'sequence'];

const byName = new Map(entities.map((of) => [of.name, of]));

const liesWithParents = (of: Entity) => fieldsWithin(of).length > 0;
/** What the rows of others lie with. */
const parents = new Set(entities.filter(liesWithParents).map(parentOf));
const maxIdOf = (name: string) => (parents.has(name) ? maxNumbers.parent : maxNumbers.id);

/** What an archive holds, in the nouns of the API, both environments together. Without it the file is not whole. */
export const Trailer = v.object({ rows: v.number(), counts: v.record(v.string(), v.number()) });

/** A row as an archive keeps it: its partition key begins with `:live#`, `:test#` or `#`. */
export const ArchivedRow = v.looseObject({
  pk: v.pipe(v.string(), v.regex(/^((:live|:test|)#|DUE$)/, 'has a partition key that no archive holds')),
  sk: v.string('has no sort key'),
});
export type ArchivedRow = v.InferOutput<typeof ArchivedRow>;

/** What was of the moment is in files of older versions alone: an import passes it over. What it counts anew is there for older releases. */
type Fate = 'kept' | 'counted anew' | 'passed over' | 'refused';

/** The rows of a workspace that are of no entity. */
type OtherRow = {
  [Name in keyof typeof rowKeys]: (typeof rowKeys)[Name][0] extends `{${'scope' | 'tenant' | 'workspace'}}#${string}`
    ? Name
    : never;
}[keyof typeof rowKeys];

const fates: Readonly<Record<Exclude<OtherRow, 'counter'>, Fate>> = {
  ids: 'kept',
  sequence: 'kept',
  piece: 'passed over',
  quota: 'passed over',
  slot: 'passed over',
  versions: 'refused',
  leftBehind: 'refused',
  claim: 'refused',
  codePhone: 'refused',
  requestLog: 'refused',
  memberCount: 'refused',
  activeKeys: 'refused',
  import: 'refused',
};

/** The groups of counters: what entities declare, and what units of work count besides. */
const groupFates: Readonly<Record<string, Fate>> = {
  ...Object.fromEntries(
    entities.flatMap(({ counters = {} }) =>
      Object.entries(counters).map(([name, { group = name }]): [string, Fate] => [group, 'counted anew']),
    ),
  ),
  queued: 'counted anew',
  'met/{day}': 'kept',
  'sent/{day}': 'kept',
  // Endpoints arrive inactive, and what waits for them is counted anew.
  'webhook-waiting': 'passed over',
};

/** Whether a row that is of no entity has the sort key that such a row has. */
const hasPlace = (partition: string, sk: string): boolean =>
  [...Object.keys(fates), 'counter'].some((name) => {
    const [pk, template] = rowKeys[name as OtherRow];
    return isLike(pk.slice(pk.indexOf('#') + 1), partition) && isLike(template, sk);
  });

/** By partition. */
const fatesOfOthers: readonly [template: string, Fate][] = [
  ...Object.entries(fates).map(([name, fate]): [string, Fate] => [rowKeys[name as OtherRow][0], fate]),
  ...Object.entries(groupFates).map(([group, fate]): [string, Fate] => [
    rowKeys.counter[0].replace('{group}', group),
    fate,
  ]),
].map(([pk, fate]) => [pk.slice(pk.indexOf('#') + 1), fate]);

/**
 * What names objects of the buckets, which are not in the file, until they are where they stay; and how far events have yet to be
 * given to endpoints, which arrive inactive, or to the event bus: a file could say that it is without end.
 */
const ofTheMoment: readonly Entity[] = [
  Exports,
  Files,
  Transfers,
  FanOuts,
  FanOutRetries,
  BusBacklogs,
  BusRetries,
  Upserts,
];

/** What is found by another way than an index: it is made of whom it names, whatever the file says. */
const derived = <Of extends Entity, By extends Entity>(of: Of, by: By, make: (item: Item<Of>) => Item<By>) => ({
  of,
  by,
  make: make as (item: unknown) => Item<By>,
});
const derivedRows = [
  derived(Tags, TagNames, ({ id, name }) => ({ name: sameName(name), tagId: id })),
  derived(Deliveries, DeliveryIds, ({ deliveryId, endpointId, id, createdAt }) => ({
    ...{ deliveryId, endpointId, id, createdAt },
  })),
];

const passedOver: readonly Entity[] = [...ofTheMoment, ...derivedRows.map(({ by }) => by)];

/** Whether a row is derived from another one and lies beside nothing else. */
export const isDerived = ({ pk }: Key): boolean => derivedRows.some(({ by }) => by === entityIn(divided(pk).partition));

/** What is of no kind that is known here is in no file: an import could not say where it belongs. */
function fateOf(partition: string): Fate {
  const of = entityIn(partition);
  if (of) return passedOver.includes(of) ? 'passed over' : 'kept';
  return fatesOfOthers.find(([template]) => isLike(template, partition))?.[1] ?? 'refused';
}

/** Index entries and timers, which follow from the rows beside which they stand. */
const standsBeside = (pk: string) => pk.startsWith(duePrefix) || divided(pk).partition.includes('?');

/**
 * What an entity looks like when its secrets are gone, which does nothing until it is given new ones, and when nobody has it in
 * hand: a file could say that somebody has for a thousand years.
 */
const atRest = new Map<string, (row: Row) => Record<string, unknown>>(
  Object.entries({
    // What waits in its queue, perhaps for days, has the time of one that was lost just now.
    account: ({ state }) => ({ secret: '', state: state === 'active' ? 'disconnected' : state, lostAt: timestamp() }),
    login: ({ over }) => ({ secret: '', over: over ?? 'it was begun elsewhere' }),
    inbound: () => ({ status: 'off', lastError: null, hook: null, isHooked: false, dueAt: null, lookAt: null }),
    poller: () => ({ leaseUntilMs: 0, resumeAt: null }),
    sender: () => ({ leaseUntilMs: 0, sendersUntilMs: 0 }),
    job: ({ attempts, unsettledAttempts = 0 }) => ({
      claimedUntil: null,
      unsettledAttempts: Math.min(Number(attempts), Number(unsettledAttempts)),
    }),
    'webhook-health': () => ({ owner: null, leaseUntilMs: 0, openUntilMs: 0, begun: [], finished: 0 }),
    'webhook-wake': () => ({ notBefore: null, made: 0 }),
    webhook: () => ({ isActive: false }),
    // Since when that is so was read at another moment.
    'webhook/*/delivery': () => ({ isUnlisted: false }),
    // Nobody is mailed for a copy of their workspace.
    member: () => ({ invitation: null }),
    'webhook-registry': () => ({ secret: '', secretHint: '', previousSecret: null, previousValidUntil: null }),
    'revenue-source': () => ({ credential: null, isActive: false, nextRunAt: null, leasedUntil: null }),
  }),
);

/** The row as it goes into the file, or undefined when it does not. */
export function archived(workspaceId: number, row: Row): ArchivedRow | undefined {
  const pk = row.pk.slice(String(workspaceId).length);
  const { partition } = divided(pk);
  if (standsBeside(pk) || !['kept', 'counted anew'].includes(fateOf(partition))) return undefined;
  const { newer: _, ...own } = row;
  const bare = { ...own, ...atRest.get(kindOfPartition(partition))?.(row), pk };
  // What a publisher that died has left open has come to its end where no row waits to be published.
  if (partition === 'sequence') return { pk, sk: row.sk, ...(row['last'] !== undefined && { last: row['last'] }) };
  if (pk !== '#ids') return bare;
  const { key: __, ...counters } = bare as ArchivedRow & { key?: unknown };
  return counters;
}

/**
 * The row as it is written for the workspace that takes the archive in, with what stands beside it; nothing for what follows from
 * another row or was of the moment. Throws UnfitRow for what no export writes, or what the workspace could not be read with.
 */
export function restored(from: number, to: number, given: ArchivedRow): Row[] {
  const { env, partition } = divided(given.pk);
  if (standsBeside(given.pk) || ['passed over', 'counted anew'].includes(fateOf(partition))) return [];
  const { newer: _, ...own } = given;
  const row: Row = { ...own, ...atRest.get(kindOfPartition(partition))?.(given), pk: `${to}${given.pk}` };
  // What a day's quota of the other workspace has paid for is paid again, when it leaves.
  if (partition === Jobs.name && row['channel'] === 'email' && row['status'] === 'queued') {
    row['isUnpaid'] = true;
    delete row['paid'];
  }
  const of = entityIn(partition);
  if (of === Members) row['importedAt'] = timestamp();
  if (of === Messages || of === EmailMessages) row['attachments'] = leftBehind(row['attachments']);
  if (given.pk === '#workspace') {
    const email = row['email'] === placeholderEmail(from) ? placeholderEmail(to) : row['email'];
    Object.assign(row, { sk: sortableId(to), id: to, email });
  }
  requireFit(unfitness(row));
  const rows = written(to, env || 'live', partition, row);
  for (const one of rows) requireFit(unfitness(one));
  return rows;
}

/** Attachments whose bytes another workspace has, wherever the file says that they are. What is no list of them is left to be refused. */
const leftBehind = (attachments: unknown) =>
  Array.isArray(attachments)
    ? attachments.map((one: StoredAttachment) => {
        const { uploadedAs: _, ...kept } = { ...one };
        return { ...kept, ...(['stored', 'pending'].includes(kept.status) && { status: 'expired' }), key: null };
      })
    : attachments;

/** A row of an archive that cannot be taken in. */
export class UnfitRow extends Error {}

function requireFit(reason: string | false | undefined): void {
  if (reason) throw new UnfitRow(reason);
}

function written(workspaceId: number, env: Environment, partition: string, row: Row): Row[] {
  const of = entityIn(partition);
  requireFit(fateOf(partition) === 'refused' && 'is of a kind that no archive holds');
  if (!of) {
    requireFit(!isCounter(partition, row) && 'counts what cannot be counted');
    requireFit(!hasPlace(partition, row.sk) && 'lies where it does not belong');
    return [row];
  }
  const read = readAs(of, row);
  const output = misfit(of.schema, read) === undefined ? read : legible(of, read);
  const tenant = { workspaceId, env };
  requireFit(idsIn(of, output).some(([name, id]) => !isAtMost(maxIdOf(name), id)) && 'has an id that there is not');
  const far = versionsAndSequences.find((name) => !isAtMost(maxNumbers.sequence, row[name] ?? 0));
  requireFit(far !== undefined && `counts ${far} too far`);
  requireFit(identity(keyOf(tenant, of, read)) !== identity(row) && 'lies where it does not belong');
  requireFit((row['v'] === undefined || row[lockedBy] !== undefined) && 'was not at rest');
  const wrong = misfit(of.schema, output) ?? excess(of, output);
  requireFit(wrong && `is no ${of.name}: ${wrong}`);
  if (of === Feed)
    requireFit(!isToldBy(row['body'], { ...row, livemode: env === 'live' }) && 'tells of no event, or of another');
  const version = writtenAs(row);
  const beside = [...indexEntries(tenant, of, output, writtenBy(version)).values()];
  // What is due after the year 9999 has a sign before it, and as a text is due at once.
  requireFit(beside.some(({ at }) => at !== undefined && !/^\d{4}-/.test(String(at))) && 'is due at no time');
  return [
    {
      ...(version === latestVersion(of)
        ? { ...formOf(of, output), v: row['v'] }
        : { ...row, ...differing(output, read) }),
      ...expiry(of, output),
      ...keyOf(tenant, of, output),
    },
    ...beside,
    ...derivedRowsOf(tenant, of, output),
  ];
}

/** An item as this release would write it, where an earlier one took other texts. */
function legible(of: Entity, read: Record<string, unknown>): Record<string, unknown> {
  const item = mended(of.schema, read) as Record<string, unknown>;
  if (of !== Tags || item['name'] === read['name']) return item;
  // Another tag may have that name.
  const mark = ` (${item['id']})`;
  return { ...item, name: `${firstCharacters(String(item['name']), maxTagName - mark.length).trimEnd()}${mark}` };
}

/** The fields that are not as they were. */
const differing = (item: Record<string, unknown>, was: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(item).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(was[name])),
  );

/** Of what ends by itself nothing is kept for longer: audit entries are for 90 days. */
const maxKeptDays = 91;

/** When it is gone, which no file says. */
function expiry(of: Entity, item: Record<string, unknown>): { expiresAtSeconds?: number | undefined } {
  const expiresAtSeconds = of.expiresAtSeconds?.(item);
  requireFit(expiresAtSeconds !== undefined && !Number.isSafeInteger(expiresAtSeconds) && 'ends at no time');
  const latest = epochSeconds() + (maxKeptDays * dayMs) / secondMs;
  requireFit(expiresAtSeconds !== undefined && expiresAtSeconds > latest && 'ends later than what is made now');
  return { expiresAtSeconds };
}

const derivedRowsOf = (tenant: Tenant, of: Entity, output: Record<string, unknown>): Row[] =>
  derivedRows
    .filter((row) => row.of === of)
    .map(({ by, make }) => {
      const item = make(output);
      return { ...formOf(by, item), v: 1, ...keyOf(tenant, by, item) };
    });

/** Fields with ids of others that no merge and no deletion follows: a row may lie where that of a new one would, or wait for it. */
const idsOfOthers = new Map<Entity, Readonly<Record<string, Entity>>>([
  [MergedContacts, { id: Contacts, into: Contacts }],
  [Healths, { id: Endpoints }],
  [Dispatches, { id: Endpoints }],
  [ReplayQueues, { id: Endpoints }],
  [Deals, { wonTransactionId: Transactions }],
  [Enrollments, { jobId: Jobs, threadId: Threads }],
  [IngestedRows, { transactionId: Transactions }],
  [Jobs, { enrollmentId: Enrollments }],
  [MessageIds, { threadId: Threads }],
]);

/** Where an entity has ids, by whose they are. */
const idFields = new Map(
  entities.map((of): [Entity, [name: string, field: string][]] => [
    of,
    [
      ...(of !== Workspaces && of !== Feed ? [[of.name, 'id'] as [string, string]] : []),
      ...fieldsWithin(of).map((field): [string, string] => [parentOf(of), field]),
      ...(of.references ?? []).map(({ to, field }): [string, string] => [to, field]),
      ...Object.entries(idsOfOthers.get(of) ?? {}).map(([field, { name }]): [string, string] => [name, field]),
    ],
  ]),
);

/** The ids that an item has and names, by whose they are. */
const idsIn = (of: Entity, item: Record<string, unknown>): [name: string, id: unknown][] =>
  (idFields.get(of) ?? []).flatMap(([name, field]) =>
    [item[field] ?? []].flat().map((id): [string, unknown] => [name, id]),
  );

/** Whether a body is that of the event which its row says. */
function isToldBy(body: unknown, row: Record<string, unknown>): boolean {
  try {
    const event = v.parse(AnyEvent, JSON.parse(String(body))) as Record<string, unknown>;
    return ['event', 'id', 'timestamp', 'sequence', 'livemode'].every((name) => event[name] === row[name]);
  } catch {
    return false;
  }
}

function readAs(of: Entity, row: Row): Record<string, unknown> {
  const version = writtenAs(row);
  requireFit(
    (!Number.isInteger(version) || version < 1 || version > latestVersion(of)) && 'was written by a newer release',
  );
  try {
    return parseStored(of, row) as Record<string, unknown>;
  } catch (error) {
    const [wrong] = error instanceof v.ValiError ? fieldErrors(error.issues) : [];
    throw new UnfitRow(`is no ${of.name}${wrong ? `: ${wrong.message}` : ''}`);
  }
}

const isAtMost = (max: number, value: unknown) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= max;

/** Of ids, of events or of what was done on a day. */
function isCounter(partition: string, { pk: _, sk: __, ...counted }: Row): boolean {
  const all = Object.entries(counted);
  if (partition === 'ids')
    return all.every(([name, value]) => idsOf.has(name) && isAtMost(maxIdOf(idsOf.get(name) as string), value));
  if (partition === 'sequence')
    return all.every(([name, value]) => name === 'last' && isAtMost(maxNumbers.sequence, value));
  return all.every(([, value]) => isAtMost(maxNumbers.sum, value));
}

/** The counters of ids, but for that of keys. */
const idsOf = new Map(entities.map((of) => [storedName(of), of.name]));

/** What the rows of a file require of its counters: no id and no number of an event is given twice. */
export class Highest {
  readonly #highest = new Map<string, { key: Key; counters: Record<string, number> }>();

  /** Whether `rows` has the row's numbers. */
  static holds({ pk }: Row): boolean {
    return /#(ids|sequence)$/.test(pk);
  }

  /** Takes note of a row as it is written. */
  add(row: Row): void {
    const { pk } = row;
    const of = entityIn(pk.slice(pk.indexOf('#') + 1));
    const tenant = pk.slice(0, pk.indexOf('#'));
    if (of === Feed) this.#raise(`${tenant}#sequence`, 'sequence', { last: Number(row['sequence']) });
    else if (of)
      for (const [name, id] of idsIn(of, row)) {
        const named = byName.get(name) as Entity;
        const scope = named.scope === 'workspace' ? tenant.replace(/:.*/, '') : tenant;
        this.#raise(`${scope}#ids`, 'ids', { [storedName(named)]: Number(id) });
      }
    else if (Highest.holds(row)) {
      const { pk: _, sk, ...counters } = row;
      this.#raise(pk, sk, counters as Record<string, number>);
    }
  }

  /** The highest id of an entity, of whatever environment. */
  of(name: string): number {
    const stored = storedName(byName.get(name) as Entity);
    return Math.max(0, ...[...this.#highest.values()].map(({ counters }) => counters[stored] ?? 0));
  }

  /** The counters of ids, by which a workspace is known to be there, and the ends of the feeds. */
  rows(): [ids: Row[], ends: Row[]] {
    const rows = [...this.#highest.values()].map(({ key, counters }) => ({ ...key, ...counters }));
    return [rows.filter(({ sk }) => sk === 'ids'), rows.filter(({ sk }) => sk !== 'ids')];
  }

  #raise(pk: string, sk: string, by: Record<string, number>): void {
    const known = this.#highest.get(pk) ?? { key: { pk, sk }, counters: {} };
    for (const [name, value] of Object.entries(by)) known.counters[name] = Math.max(known.counters[name] ?? 0, value);
    this.#highest.set(pk, known);
  }
}

/** The entities of which a file has rows of older versions, with the first of them each. */
export class Outdated {
  readonly #lines = new Map<Entity, number>();

  add(row: ArchivedRow, line: number): void {
    const of = entityIn(divided(row.pk).partition);
    if (of && writtenAs(row) < latestVersion(of) && !this.#lines.has(of)) this.#lines.set(of, line);
  }

  get entities(): Entity[] {
    return [...this.#lines.keys()];
  }

  /**
   * Why they cannot be reindexed, and where: that asks for the rows of every id that a parent has had, of which a file could say that
   * there were millions.
   */
  lack(highest: Highest, rows: number): { line: number; reason: string } | undefined {
    const found = [...this.#lines].find(([of]) => liesWithParents(of) && highest.of(parentOf(of)) > maxIds(rows));
    if (found === undefined) return undefined;
    const [of, line] = found;
    const reason = `is ${of.name} of an older version, among too few rows for the ids of a ${parentOf(of)}: export it when it is reindexed`;
    return { line, reason };
  }
}

/** Of a workspace with so many rows, most of what there was may have been deleted. */
const maxIds = (rows: number) => 10_000 + 100 * rows;

/** What stands beside what a customer would count: what the API has no list of. */
export const uncounted = [
  'account-holder',
  'block',
  'bounced-address',
  'bus-backlog',
  'bus-retry',
  'delivery-id',
  'email-body',
  'email-message-id',
  'email-notice',
  'erasure',
  'export',
  'file',
  'identity',
  'inbound',
  'ingested-row',
  'login',
  'merged-contact',
  'peer',
  'poller',
  'sender',
  'tag-count',
  'tag-name',
  'transfer',
  'turn',
  'upsert',
  'webhook-fan-out',
  'webhook-fan-out-retry',
  'webhook-health',
  'webhook-registry',
  'webhook-replays',
  'webhook-dispatch',
  'workspace',
];

/** The nouns of the API by the kinds of partitions. */
export const nouns: Readonly<Record<string, string>> = Object.fromEntries(
  entities.filter(({ name }) => !uncounted.includes(name)).map((of) => [kindOf(of), pluralOf(of.name)]),
);

/** Counts a row of an archive, if it is one of those that a customer would count. */
export function count(counts: Record<string, number>, { pk }: ArchivedRow): void {
  const noun = nouns[kindOfPartition(divided(pk).partition)];
  if (noun) counts[noun] = (counts[noun] ?? 0) + 1;
}

export const noCounts = (): Record<string, number> => Object.fromEntries(Object.values(nouns).map((noun) => [noun, 0]));
