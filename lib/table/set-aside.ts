import * as v from 'valibot';
import { isPassing } from '../aws.ts';
import { secondMs, shifted, timestamp } from '../clock.ts';
import { env } from '../env.ts';
import { log } from '../log.ts';
import { conflict, Problem } from '../problem.ts';
import { operator, parseTenantKey } from '../tenant.ts';
import { firstCharacters, withoutControls } from '../text.ts';
import { isContention } from './change.ts';
import { dynamodb } from './client.ts';
import { failedCondition, failedConditions, failureOf } from './errors.ts';
import { type Key, rowKey, rowPartition } from './keys.ts';
import { pages } from './pages.ts';
import { type Row, readRow, readRows } from './rows.ts';
import { cut, UnfitRow } from './size.ts';
import { transact } from './transact.ts';
import type { UnitOfWork } from './unit-of-work.ts';
import { actionOf, type Condition, type Write } from './write.ts';

/**
 * Rows of queues (outbox, due index, deliveries) that fail for reasons of their own are put out of the way of the others, those
 * that belong together under one head, with the originals beside it in pieces: together they could be larger than an item.
 */
const partitionKey = rowPartition('aside', {});
const headKey = (id: string): Key => rowKey('aside', { row: id });
const piecesOf = (id: string) => rowPartition('asidePiece', { row: id });

/** How often a row is tried, once a minute, of which AWS says that it cannot be written, or which meets nothing but conflicts. */
const maxTries = 5;
/**
 * How often one that this version cannot read or meets with a bug: a newer version may have written it and be back within the hour,
 * and a bad one, which fails with every row, may be gone.
 */
const maxOwnTries = 60;
/** A stream that repeats its batch meets such a row many times in a minute. */
const unreadableRestMs = 50 * secondMs;

const Stored = v.object({
  sk: v.string(),
  tenant: v.nullable(v.string()),
  reason: v.string(),
  tries: v.number(),
  setAsideAt: v.string(),
  pieces: v.number(),
  /** The name of its AsideKind, and what that is given. */
  kind: v.optional(v.string()),
  about: v.optional(v.record(v.string(), v.unknown())),
});
type Head = v.InferOutput<typeof Stored>;

/** What is shown of a head. One that this version cannot read is shown as far as it can. */
const Shown = v.object({
  sk: v.string(),
  tenant: v.fallback(v.nullable(v.string()), null),
  reason: v.fallback(v.string(), 'unknown: what was noted of it cannot be read'),
  tries: v.fallback(v.nullable(v.number()), null),
  setAsideAt: v.fallback(v.nullable(v.string()), null),
});

/** A row that was set aside: why, when and after how many tries. Its `id` is its old place. */
export interface SetAside {
  id: string;
  tenant: string | null;
  reason: string;
  tries: number | null;
  setAsideAt: string | null;
}

/**
 * Rows that nothing would notice when they are back: `putBack` sees to it, in the same transaction, that they are worked on. Those
 * of the shared queues need none: the stream delivers every row that appears there.
 */
export interface AsideKind<About extends Record<string, unknown> = Record<string, unknown>> {
  name: string;
  putBack(tx: UnitOfWork, about: About): Promise<void>;
}

/** Why rows are set aside, and what is to be known when they are put back. */
export interface Aside<About extends Record<string, unknown> = Record<string, unknown>> {
  tries: number;
  error: unknown;
  kind?: AsideKind<About>;
  about?: About;
}

/** A row that this version cannot read. */
class Unreadable extends Error {}

/** The row as its schema has it. Throws Unreadable, without a word of what it holds. */
export function readable<S extends v.GenericSchema>(schema: S, row: unknown): v.InferOutput<S> {
  const { success, output, issues } = v.safeParse(schema, row);
  if (success) return output;
  throw new Unreadable(`it cannot be read: ${v.getDotPath(issues[0])} ${issues[0].type}`);
}

/** What DynamoDB, SQS and the Scheduler say of one row, and not of their own state. */
const refusals = [
  'ValidationException',
  'SerializationException',
  'TransactionCanceledException',
  'ItemCollectionSizeLimitExceededException',
  'BatchRequestTooLong',
  'InvalidMessageContents',
  'ServiceQuotaExceededException',
];

/**
 * Whether a row failed for a reason of its own: it cannot be read or written, or a bug meets what it holds. What is busy, out of
 * reach or forbidden is so for every row.
 */
export function isOwnReason(error: unknown): boolean {
  if (isPassing(error) || (error instanceof Problem && error.status === 503)) return false;
  return failureOf(error).$metadata === undefined || isRefusal(error);
}

const isRefusal = (error: unknown) => error instanceof UnfitRow || refusals.includes(failureOf(error).name ?? '');

/** Counts one more try of a row, in the row. Returns how many there were, undefined when it is gone or was counted within `backoffMs`. */
export async function countTry({ pk, sk }: Key, backoffMs?: number): Promise<number | undefined> {
  const now = timestamp();
  const triedBefore = backoffMs === undefined ? undefined : shifted(now, -backoffMs);
  try {
    const { Attributes } = await dynamodb.send('UpdateItem', {
      TableName: env('TABLE_NAME'),
      Key: { pk, sk },
      UpdateExpression: 'SET triedAt = :now ADD tries :one',
      ConditionExpression: `attribute_exists(pk)${triedBefore ? ' AND NOT triedAt > :triedBefore' : ''}`,
      ExpressionAttributeValues: { ':now': now, ':one': 1, ...(triedBefore && { ':triedBefore': triedBefore }) },
      ReturnValues: 'UPDATED_NEW',
    });
    return Number(Attributes?.['tries']);
  } catch (error) {
    if (failedCondition(error)) return undefined;
    // So large that it cannot even hold the count.
    if (failureOf(error).name === 'ValidationException') return maxOwnTries;
    throw error;
  }
}

/** Takes back a counted try that failed for a reason which is not the row's own; after the first the row is as if untried. */
export async function uncountTry({ pk, sk }: Key, tries: number): Promise<void> {
  const ExpressionAttributeValues = { ':counted': tries, ...(tries > 1 && { ':before': tries - 1 }) };
  await dynamodb
    .send('UpdateItem', {
      TableName: env('TABLE_NAME'),
      Key: { pk, sk },
      UpdateExpression: tries > 1 ? 'SET tries = :before' : 'REMOVE tries, triedAt',
      ConditionExpression: 'tries = :counted',
      ExpressionAttributeValues,
    })
    .catch((error) => {
      if (!failedCondition(error)) throw error;
    });
}

/**
 * A counted try of a row failed for a reason of its own: after the last one the row is set aside, or moved with others. `tries` is
 * undefined when it is gone.
 */
export async function failed(
  row: Key,
  tries: number | undefined,
  error: unknown,
  move: (aside: Aside) => Promise<void> = (aside) => setAside(row, aside.tries, aside.error),
): Promise<void> {
  if (tries === undefined) return;
  log().error('a row failed for a reason of its own', { row: idOf(row), tries, reason: reasonOf(error) });
  if (tries >= (isRefusal(error) || isContention(error) ? maxTries : maxOwnTries)) await move({ tries, error });
}

/** A row cannot be read: that is a try, one in a minute however often it is met, and after the last one the row is set aside. */
export async function passOver(row: Key, error: unknown, move?: (aside: Aside) => Promise<void>): Promise<void> {
  await failed(row, await countTry(row, unreadableRestMs), error, move);
}

const maxReason = 300;

/** What may be shown of an error: a parser quotes what it was given, which may be the text of a message. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no error was thrown';
  if (error instanceof SyntaxError || error instanceof v.ValiError) return error.name;
  return firstCharacters(withoutControls(`${error.name}: ${error.message}`), maxReason);
}

const idOf = ({ pk, sk }: Key) => `${pk}/${sk}`;

/** What others may write into a row meanwhile: its number in the feed, a try, a new version. */
const changing = ['published', 'tries', 'v'];

/** That a row still holds what was read of it. */
const unchanged = (row: Row): Condition => ({
  is: Object.fromEntries(changing.flatMap((name) => (name in row ? [[name, row[name]]] : []))),
  present: ['pk'],
  absent: changing.filter((name) => !(name in row)),
});

/** Moves a row out of its queue as it stands; nothing happens to one that is gone. */
export async function setAside({ pk, sk }: Key, tries: number, error: unknown): Promise<void> {
  const row = await readRow({ pk, sk });
  if (row === undefined) return;
  try {
    await sent(moving([row], { tries, error }));
  } catch (failure) {
    if (failedConditions(failure).length === 0) throw failure;
    // Somebody has written it since it was read.
    await setAside(row, tries, error);
  }
}

/** What moves rows out of their queues together, as they were read; they are known by the place of the first. */
export function moving<About extends Record<string, unknown>>(
  rows: readonly [Row, ...Row[]],
  { tries, error, kind, about }: Aside<About>,
): Write[] {
  const [first] = rows;
  const id = idOf(first);
  const originals = rows.map(({ tries: _, triedAt: __, ...original }) => original);
  const pieces = cut(Buffer.from(JSON.stringify(originals)));
  const head: Head = {
    sk: id,
    tenant: tenantOf({ sk: id, tenant: typeof first['tenant'] === 'string' ? first['tenant'] : null }),
    reason: reasonOf(error),
    tries,
    setAsideAt: timestamp(),
    pieces: pieces.length,
    ...(kind && { kind: kind.name, about }),
  };
  return [
    ...rows.map((row) => ({ key: { pk: row.pk, sk: row.sk }, item: null, if: unchanged(row) })),
    { key: headKey(id), item: { ...head } },
    ...pieces.map((piece, index) => ({ key: pieceKey(id, index), item: { piece } })),
  ];
}

const pieceKey = (id: string, index: number): Key =>
  rowKey('asidePiece', { row: id, piece: String(index).padStart(3, '0') });

/** Every row that was set aside, in the order of their old places: what is put back in it is published as it was committed. */
export async function listSetAside(): Promise<SetAside[]> {
  return (await heads()).map((head) => {
    const { sk, tenant, ...shown } = v.parse(Shown, head);
    return { id: sk, tenant: tenantOf({ sk, tenant }), ...shown };
  });
}

/** A row of one tenant has it in its place; one that all share names it, and has what it is about in its place. */
const tenantOf = ({ sk, tenant }: Pick<Head, 'sk' | 'tenant'>): string | null =>
  tenant ?? /(?:^|#)([1-9]\d*:(?:live|test))#/.exec(sk)?.[1] ?? null;

/** How many rows were set aside. */
export const countSetAside = async (): Promise<number> => (await heads()).length;

async function heads(): Promise<Row[]> {
  const found: Row[] = [];
  for await (const page of pages({ pk: partitionKey, ascending: true })) found.push(...page);
  return found;
}

/**
 * Puts a row back into its queue, untried, with those that were set aside together with it, where it starts what a new one would.
 * Returns whether it had been set aside. Raises 409 when there is another row in its place by now, when its kind says so, or when
 * this version cannot read what was noted of it.
 */
export async function putBack(id: string, kinds: readonly AsideKind[] = []): Promise<boolean> {
  const stored = await headOf(id);
  if (stored === undefined) return false;
  const { success, output: head } = v.safeParse(Stored, stored);
  if (!success) throw conflict('row_unreadable', `this version cannot read what was noted of ${id}`);
  const pieces = [...(await readRows(pieceKeys(head))).values()].sort((a, b) => (a.sk < b.sk ? -1 : 1));
  // Somebody else is putting it back, or discards it.
  if (pieces.length < head.pieces) return false;
  const bytes = pieces.flatMap(({ piece }) => (piece instanceof Uint8Array ? piece : []));
  // An older version kept a single row.
  const rows: Row[] = [JSON.parse(Buffer.concat(bytes).toString())].flat();
  const puts = rows.map((row): Write => ({ key: { pk: row.pk, sk: row.sk }, item: row, if: { absent: ['pk'] } }));
  const kind = kinds.find(({ name }) => name === head.kind);
  if (head.kind !== undefined && kind === undefined) throw new Error(`nobody knows how a ${head.kind} is put back`);
  const refusal = () => conflict('row_exists', `there is another row in the place of ${id} by now: discard it`);
  if (kind === undefined) {
    const refused = await remove(head, pieces, puts);
    if (refused?.includes(0)) throw refusal();
    return refused === undefined;
  }
  return transact(parseTenantKey(head.tenant ?? ''), operator, async (tx) => {
    if ((await headOf(id))?.['setAsideAt'] !== head.setAsideAt) return false;
    for (const put of puts) tx.write(put, refusal);
    for (const removal of removing(head, pieces)) tx.write(removal);
    await kind.putBack(tx, head.about ?? {});
    return true;
  });
}

/** Forgets a row that was set aside, for good. Returns whether it had been. */
export async function discard(id: string): Promise<boolean> {
  const head = await headOf(id);
  if (head === undefined) return false;
  const pieces: Key[] = [];
  for await (const page of pages({ pk: piecesOf(id) })) pieces.push(...page);
  return (await remove(head, pieces)) === undefined;
}

const headOf = (id: string): Promise<Row | undefined> => readRow(headKey(id));

const pieceKeys = ({ sk, pieces }: Head): Key[] => Array.from({ length: pieces }, (_, index) => pieceKey(sk, index));

/** What removes a head that is still what was read, with its pieces. */
const removing = ({ sk, setAsideAt }: { sk: string; setAsideAt?: unknown }, pieces: readonly Key[]): Write[] => [
  {
    key: headKey(sk),
    item: null,
    if: setAsideAt === undefined ? { present: ['pk'], absent: ['setAsideAt'] } : { is: { setAsideAt } },
  },
  ...pieces.map((piece) => ({ key: { pk: piece.pk, sk: piece.sk }, item: null })),
];

/** Removes a head with its pieces, with what else is done. Returns which writes were refused. */
async function remove(
  head: Parameters<typeof removing>[0],
  pieces: readonly Key[],
  others: readonly Write[] = [],
): Promise<number[] | undefined> {
  try {
    await sent([...others, ...removing(head, pieces)]);
    return undefined;
  } catch (error) {
    const refused = failedConditions(error);
    if (refused.length === 0) throw error;
    return refused;
  }
}

/** All of them or none. */
const sent = (writes: readonly Write[]) =>
  dynamodb.send('TransactWriteItems', { TransactItems: writes.map((write) => actionOf(write, false)) });
