import * as v from 'valibot';
import { duePrefix } from '#lib/table/entity.ts';
import { shardOf, sortableId } from '#lib/table/keys.ts';
import type { Row } from '#lib/table/rows.ts';
import { WakeUpRow } from '#lib/wake-ups/wake-up.ts';
import { placeholderEmail } from './workspace.ts';

/** The first line of an archive. The lines after it are rows, the last one is the trailer. */
export const Header = v.object({
  format: v.literal('crm-workspace', 'is not a workspace archive'),
  version: v.literal(1, 'is of a version that this release does not read'),
  workspaceId: v.number(),
  exportedAt: v.string(),
});

/** What an archive holds, in the nouns of the API, both environments together. Without it the file is not whole. */
export const Trailer = v.object({ rows: v.number(), counts: v.record(v.string(), v.number()) });

/** A row as an archive keeps it: its partition key begins with `:live#`, `:test#` or `#`, that of a wake-up is `DUE`. */
export const ArchivedRow = v.looseObject({
  pk: v.pipe(v.string(), v.regex(/^((:live|:test|)#|DUE$)/)),
  sk: v.string(),
});
export type ArchivedRow = v.InferOutput<typeof ArchivedRow>;

/** Partitions that hold credentials or what only the moment needs. */
const leftOut = /#(idempotency\/.*|key(\?.*)?|key-count|import)$/;

/**
 * What an entity looks like when its secrets are gone: it does nothing until it is given new ones. Rows of these partitions have
 * no index entries that would have to follow.
 */
const withoutSecrets: Record<string, (row: Row) => Record<string, unknown>> = {
  account: ({ state }) => ({ secret: '', state: state === 'active' ? 'disconnected' : state }),
  webhook: () => ({ isActive: false }),
  'webhook-registry': () => ({ secret: '', secretHint: '', previousSecret: null, previousValidUntil: null }),
  'revenue-source': () => ({ credential: null, isActive: false, nextRunAt: null, leasedUntil: null }),
};

/** Wake-ups of what `withoutSecrets` has put to rest. */
const restingQueues = ['revenue'];

/** The row as it goes into the file, or undefined when it does not. */
export function archived(workspaceId: number, row: Row): ArchivedRow | undefined {
  if (row.pk.startsWith(duePrefix))
    return restingQueues.includes(row['queue'] as string) ? undefined : { ...row, pk: duePrefix };
  if (leftOut.test(row.pk)) return undefined;
  const pk = row.pk.slice(String(workspaceId).length);
  const [, name = ''] = pk.split('#');
  const bare = { ...row, ...withoutSecrets[name]?.(row), pk };
  if (pk !== '#ids') return bare;
  const { key: _, ...counters } = bare as ArchivedRow & { key?: unknown };
  return counters;
}

/** The row as it is written for the workspace that takes the archive in. */
export function restored(from: number, to: number, row: ArchivedRow): Row {
  if (row.pk === duePrefix) return restoredWakeUp(from, to, row);
  const pk = `${to}${row.pk}`;
  const { of } = row as { of?: { pk: string; sk: string } };
  if (of) return { ...row, pk, of: { ...of, pk: moved(from, to, of.pk) } };
  if (row.pk !== '#workspace') return { ...row, pk };
  const email = row['email'] === placeholderEmail(from) ? placeholderEmail(to) : row['email'];
  return { ...row, pk, sk: sortableId(to), id: to, email };
}

const Waiting = v.object({ ...WakeUpRow.entries, group: v.string() });

function restoredWakeUp(from: number, to: number, row: ArchivedRow): Row {
  const { at, group, tenant, sk } = v.parse(Waiting, row);
  const movedGroup = moved(from, to, group);
  return {
    ...row,
    pk: `${duePrefix}#${shardOf(movedGroup)}`,
    sk: `${at}#${moved(from, to, sk.slice(at.length + 1))}`,
    tenant: moved(from, to, tenant),
    group: movedGroup,
  };
}

/** A key or a name that begins with a workspace's id, for another workspace. */
const moved = (from: number, to: number, text: string) => `${to}${text.slice(String(from).length)}`;

/** What is counted, by partition with the ids taken out. */
const nouns: Record<string, string> = {
  member: 'members',
  contact: 'contacts',
  'contact/*/activity': 'activities',
  'contact/*/message': 'messages',
  tag: 'tags',
  deal: 'deals',
  task: 'tasks',
  board: 'pipelines',
  invoice: 'invoices',
  transaction: 'transactions',
  'revenue-source': 'revenueSources',
  'email-thread': 'emailThreads',
  'email-thread/*/message': 'emailMessages',
  campaign: 'sequences',
  'sequence/*/enrollment': 'enrollments',
  agent: 'agents',
  account: 'accounts',
  job: 'jobs',
  webhook: 'webhooks',
  'webhook/*/delivery': 'deliveries',
  feed: 'events',
  'audit-event': 'auditEvents',
};

/** Counts a row of an archive, if it is one of those that a customer would count. */
export function count(counts: Record<string, number>, { pk }: ArchivedRow): void {
  const noun = nouns[pk.slice(pk.indexOf('#') + 1).replace(/\/[^/]+\//, '/*/')];
  if (noun) counts[noun] = (counts[noun] ?? 0) + 1;
}

export const noCounts = (): Record<string, number> => Object.fromEntries(Object.values(nouns).map((noun) => [noun, 0]));
