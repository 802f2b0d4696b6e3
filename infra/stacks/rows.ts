import { isRowNeed, type Need, type RowNeed } from '#lib/core/needs.ts';
import { Copies } from '#lib/entities/copy.ts';
import { rowPartition } from '#lib/table/keys.ts';
import type { AnyTable } from './data.ts';
import type { Permission } from './role.ts';

type Action =
  | 'GetItem'
  | 'BatchGetItem'
  | 'Query'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'ConditionCheckItem'
  | 'BatchWriteItem';

/** By what is done, in partitions that begin so. */
type Rows = Partial<Record<Action, readonly string[]>>;

// A workspace's partitions begin with its number.
const tenants = Array.from({ length: 9 }, (_, digit) => `${digit + 1}*`);
const outbox = rowPartition('outbox', { shard: '*' });
const copies = `*#${Copies.name}`;
const due = rowPartition('due', { shard: '*' });
const key = rowPartition('key', { keyId: '*' });
const session = rowPartition('session', { hash: '*' });
const address = rowPartition('address', { ip: '*' });
const hook = rowPartition('hook', { hookId: '*' });
const member = rowPartition('memberAddress', { address: '*' });
const signIn = rowPartition('signIn', { hash: '*' });
const signedIn = rowPartition('signedIn', { by: '*' });
const signInCounts = rowPartition('signInCounts', { by: '*' });
const places = rowPartition('sweep', {});

const reading: Rows = { GetItem: tenants, BatchGetItem: tenants, Query: tenants };

/** The caller's calls are counted, and a refusal may be audited. */
const answering: Rows = {
  GetItem: [rowPartition('none', {})],
  UpdateItem: [key, session, address],
  PutItem: [outbox],
};

/** A unit of work: rows, entries, counters and timers of tenants, and the outbox, into which it puts alone. */
const committing: Rows = {
  PutItem: [...tenants, outbox, due],
  UpdateItem: tenants,
  DeleteItem: [...tenants, due],
  ConditionCheckItem: tenants,
  BatchWriteItem: tenants,
};

const everything = (partitions: readonly string[]): Rows => ({
  GetItem: partitions,
  BatchGetItem: partitions,
  Query: partitions,
  PutItem: partitions,
  UpdateItem: partitions,
  DeleteItem: partitions,
  ConditionCheckItem: partitions,
  BatchWriteItem: partitions,
});

const rowsOf: Record<RowNeed, Rows> = {
  commit: committing,
  'read-keys': { BatchGetItem: [key] },
  'change-keys': { GetItem: [key], BatchGetItem: [key], PutItem: [key], UpdateItem: [key] },
  'read-hooks': { GetItem: [hook] },
  'change-hooks': { GetItem: [hook], PutItem: [hook], DeleteItem: [hook] },
  'change-members': { BatchGetItem: [member], PutItem: [member], DeleteItem: [member] },
  'ask-sign-ins': { UpdateItem: [signInCounts] },
  'make-sign-ins': { Query: [member], GetItem: [signedIn], PutItem: [signIn], BatchWriteItem: [signIn] },
  'open-sessions': {
    GetItem: [signIn, signedIn],
    BatchGetItem: [session],
    UpdateItem: [signIn],
    PutItem: [session, signedIn],
    DeleteItem: [session],
  },
  'read-outbox': { Query: [outbox], BatchGetItem: [outbox] },
  'ask-copies': { PutItem: [copies, due] },
  'move-outbox': everything([outbox]),
  'move-timers': everything([due]),
  sweep: {
    GetItem: [places],
    BatchGetItem: [places],
    PutItem: [places],
    UpdateItem: [places],
    BatchWriteItem: [places],
  },
};

const kindsOf = { endpoint: [reading, answering], worker: [reading, committing] };

/** Returns the table permissions of functions of a kind with these needs, limited to the rows that they need. */
export function rowPermissions(
  kind: keyof typeof kindsOf,
  needs: readonly Need[],
  { tableArn }: Pick<AnyTable, 'tableArn'>,
): Permission[] {
  const all = [...kindsOf[kind], ...needs.filter(isRowNeed).map((need) => rowsOf[need])];
  const actions = new Set(all.flatMap((rows) => Object.keys(rows) as Action[]));
  // A transaction is asked for all its puts at once, so that all that an action may reach stands in one statement.
  const reached = [...actions].map((action) => ({
    action,
    partitions: [...new Set(all.flatMap((rows) => rows[action] ?? []))].sort(),
  }));
  const alike = Map.groupBy(reached, ({ partitions }) => partitions.join());
  return [...alike.values()].map((same) => ({
    actions: same.map(({ action }) => `dynamodb:${action}`).sort(),
    resources: [tableArn],
    conditions: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': same[0]?.partitions ?? [] } },
  }));
}
