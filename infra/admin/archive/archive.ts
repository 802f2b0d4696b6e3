import * as v from 'valibot';
import { timestamp } from '#lib/core/clock.ts';
import { fieldErrors } from '#lib/core/fields.ts';
import type { Tenant } from '#lib/core/tenant.ts';
import { pluralOf } from '#lib/core/text.ts';
import { entities } from '#lib/entities/all.ts';
import { BusBacklogs, BusRetries } from '#lib/entities/bus-backlog.ts';
import { Upserts } from '#lib/entities/contact.ts';
import { Copies } from '#lib/entities/copy.ts';
import { DataExports } from '#lib/entities/data-export.ts';
import { EmailMessages } from '#lib/entities/email-message.ts';
import { Exports } from '#lib/entities/export.ts';
import { Files } from '#lib/entities/file.ts';
import { ImportRows, Imports, TurnsOfImports } from '#lib/entities/import.ts';
import { Jobs } from '#lib/entities/job.ts';
import { Members } from '#lib/entities/member.ts';
import { Messages, type StoredAttachment } from '#lib/entities/message.ts';
import { Transfers } from '#lib/entities/transfer.ts';
import { FanOutRetries, FanOuts } from '#lib/entities/webhook-fan-out.ts';
import { placeholderEmail, Workspaces } from '#lib/entities/workspace.ts';
import { type Entity, type Item, indexEntries, keyOf, kindOf, latestVersion } from '#lib/table/entity.ts';
import type { Row } from '#lib/table/rows.ts';
import { formOf, parseStored, writtenAs } from '#lib/table/stored.ts';
import { divided, entityIn, kindOfPartition } from './kinds.ts';

/** The first line of an archive. The lines after it are rows, the last one is the trailer. */
export const Header = v.object({
  format: v.literal('crm-workspace', 'is not a workspace archive'),
  version: v.literal(3, 'is of a version that this release does not read'),
  workspaceId: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  exportedAt: v.string(),
});

/** As KMS encrypts a digest, in the one way to write it in base64. */
const Seal = v.pipe(
  v.string(),
  v.maxLength(8192),
  v.check((seal) => Buffer.from(seal, 'base64').toString('base64') === seal),
);

/** The last line: how many rows there are, and of what in the nouns of the API, then what proves the file whole (seal.ts). */
export const Trailer = v.object({
  rows: v.number(),
  counts: v.record(v.string(), v.number()),
  digest: v.string(),
  seal: v.optional(Seal),
});

/** A row as an archive keeps it: its partition key begins with `:live#`, `:test#` or `#`. */
export const ArchivedRow = v.looseObject({
  pk: v.pipe(v.string(), v.regex(/^(:live|:test)?#/, 'has a partition key that no archive holds')),
  sk: v.string(),
});
export type ArchivedRow = v.InferOutput<typeof ArchivedRow>;

/**
 * Names objects of the buckets, which are not in the file, or says how far events have yet to be given to endpoints, which arrive
 * inactive, or to the event bus.
 */
const ofTheMoment: readonly Entity[] = [
  Copies,
  DataExports,
  Exports,
  Files,
  Imports,
  ImportRows,
  TurnsOfImports,
  Transfers,
  FanOuts,
  FanOutRetries,
  BusBacklogs,
  BusRetries,
  Upserts,
];

/** Returns whether an archive holds what lies in a partition. Index entries, timers, and all other counters are made anew. */
function isArchived(partition: string): boolean {
  const of = entityIn(partition);
  return of ? !ofTheMoment.includes(of) : /^(ids|event-number)$|^count\/(met|sent)\//.test(partition);
}

/** Returns the settings of a member, if there are any, with the mail of what waits off. */
function withoutMail(settings: unknown): unknown {
  const { notifications, ...others } = (settings ?? {}) as { notifications?: object };
  return notifications && { ...others, notifications: { ...notifications, mailHour: null } };
}

/** Changes that put an entity at rest, by kind: without secrets, and without a worker. It stays idle until it gets new secrets. */
const atRest = new Map<string, (row: Row) => Record<string, unknown>>(
  Object.entries({
    // Its queue may wait for days, counted from now.
    account: ({ state }) => ({ secret: '', state: state === 'active' ? 'disconnected' : state, lostAt: timestamp() }),
    login: ({ over }) => ({ secret: '', over: over ?? 'it was begun elsewhere' }),
    inbound: () => ({ status: 'off', lastError: null, hook: null, isHooked: false, dueAt: null }),
    poller: () => ({ leaseUntilMs: 0, resumeAt: null }),
    sender: () => ({ leaseUntilMs: 0, sendersUntilMs: 0 }),
    job: () => ({ claimedUntil: null }),
    'webhook-health': () => ({ owner: null, leaseUntilMs: 0, openUntilMs: 0, begun: [], finished: 0 }),
    'webhook-dispatch': () => ({ notBefore: null, made: 0 }),
    webhook: () => ({ isActive: false, headers: [], signing: null }),
    // Nobody is mailed for a copy of their workspace.
    member: ({ settings }) => ({ invitation: null, digest: null, settings: withoutMail(settings) }),
    'webhook-registry': () => ({ secret: '', secretHint: '', previousSecret: null, previousValidUntil: null }),
    'revenue-source': () => ({ credential: null, isActive: false, nextRunAt: null, leasedUntil: null }),
  }),
);

/** Returns the row as it goes into the file, or undefined when it does not. */
export function archived(workspaceId: number, { pk: place, ...row }: Row): ArchivedRow | undefined {
  const pk = place.slice(String(workspaceId).length);
  const { partition } = divided(pk);
  if (!isArchived(partition)) return undefined;
  // If no row waits to be published, the open round of a crashed publisher is over.
  if (partition === 'event-number') return { pk, sk: row.sk, ...(row['last'] !== undefined && { last: row['last'] }) };
  // Keys are not in the file.
  if (pk === '#ids') return { pk, ...row, key: undefined };
  return { pk, ...row, ...atRest.get(kindOfPartition(partition))?.({ ...row, pk }) };
}

/** A row of an archive that cannot be taken in. */
export class UnfitRow extends Error {}

/** An item of an archive, as the workspace that takes it in has it. */
export interface Arrival {
  tenant: Tenant;
  of: Entity;
  item: Item<Entity>;
  rows: Row[];
}

/**
 * Returns what a row becomes in the workspace that takes the archive in: an item in this release's form with its index entries and its
 * timer, or a counter. Throws UnfitRow for a row that this release does not know.
 */
export function restored(from: number, to: number, given: ArchivedRow): Arrival | Row {
  const { env, partition } = divided(given.pk);
  if (!isArchived(partition)) throw new UnfitRow('is of a kind that no archive holds');
  const of = entityIn(partition);
  if (!of) return { ...given, pk: `${to}${given.pk}` };
  const tenant: Tenant = { workspaceId: to, env: env || 'live' };
  const item = parsedAs(of, arriving(from, to, of, given));
  const key = keyOf(tenant, of, item);
  const rows = [{ ...formOf(of, item), v: given['v'], ...key }, ...indexEntries(tenant, of, item).values()];
  return { tenant, of, item, rows };
}

/** Returns the row with what is different where it arrives. */
function arriving(from: number, to: number, of: Entity, given: ArchivedRow): Row {
  const row: Row = { ...given, ...atRest.get(kindOf(of))?.(given) };
  // The other workspace's quota has paid for this mail. It is paid again when it leaves.
  if (of === Jobs && row['channel'] === 'email' && row['status'] === 'queued') {
    row['isUnpaid'] = true;
    delete row['paid'];
  }
  if (of === Members) row['importedAt'] = timestamp();
  if (of === Messages || of === EmailMessages) row['attachments'] = leftBehind(row['attachments']);
  if (of === Workspaces)
    Object.assign(row, { id: to, ...(row['email'] === placeholderEmail(from) && { email: placeholderEmail(to) }) });
  return row;
}

/** Returns attachments whose bytes the other workspace has. */
const leftBehind = (attachments: unknown) =>
  (attachments as StoredAttachment[] | undefined)?.map(({ uploadedAs: _, ...kept }) => ({
    ...kept,
    ...(['stored', 'pending'].includes(kept.status) && { status: 'expired' }),
    key: null,
  }));

function parsedAs(of: Entity, row: Row): Item<Entity> {
  if (writtenAs(row) > latestVersion(of)) throw new UnfitRow('was written by a newer release');
  try {
    return parseStored(of, row);
  } catch (error) {
    const [wrong] = error instanceof v.ValiError ? fieldErrors(error.issues) : [];
    throw new UnfitRow(`is no ${of.name}${wrong ? `: ${wrong.message}` : ''}`);
  }
}

/** Entities that a customer would not count, because the API has no list of them. */
export const uncounted = [
  'account-holder',
  'block',
  'bus-backlog',
  'bus-retry',
  'column-door',
  'copy',
  'company-activity',
  'data-export',
  'delivery-id',
  'email-body',
  'email-message-id',
  'email-notice',
  'erasure',
  'export',
  'field-order',
  'file',
  'identity',
  'import',
  'import-row',
  'import-turn',
  'inbound',
  'ingested-row',
  'login',
  'merged-company',
  'merged-contact',
  'peer',
  'poller',
  'saved-reply-names',
  'sender',
  'suppressed-address',
  'tag-count',
  'tag-name',
  'transfer',
  'write-barrier',
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
