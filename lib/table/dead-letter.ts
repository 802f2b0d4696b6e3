import * as v from 'valibot';
import { isPassing } from '#lib/aws/aws.ts';
import { inParallel } from '#lib/core/async.ts';
import { hourMs, shifted, timestamp } from '#lib/core/clock.ts';
import { log } from '#lib/core/log.ts';
import { measure } from '#lib/core/metrics.ts';
import { Problem } from '#lib/core/problem.ts';
import { firstCharacters, withoutControls } from '#lib/core/text.ts';
import { failureOf } from './client.ts';
import { type Key, shardsOf } from './keys.ts';
import { pages } from './pages.ts';
import type { Row } from './rows.ts';
import { UnfitRow } from './size.ts';
import { writeIf } from './write.ts';

/** The sweeper tries a row once a minute: in as many minutes a bad deployment is taken back, or a new one complete. */
export const maxTries = 15;

/** Under these the metrics of a sweep lie. */
export const sweepDimensions = { worker: 'sweep' };

/** A row of the outbox or a timer that is not tried any more. Its `id` is its place. */
export interface DeadLetter {
  id: string;
  tenant: string | null;
  reason: string;
  tries: number | null;
  deadAt: string | null;
}

/** A row that this version cannot read. */
class Unreadable extends Error {}

/** Returns the row as its schema has it. Throws Unreadable, without a word of what it holds. */
export function requireReadable<S extends v.GenericSchema>(schema: S, row: unknown): v.InferOutput<S> {
  const { success, output, issues } = v.safeParse(schema, row);
  if (success) return output;
  throw new Unreadable(`it cannot be read: ${v.getDotPath(issues[0])} ${issues[0].type}`);
}

/** Error names by which DynamoDB, SQS and the Scheduler refuse one row; they say nothing of the service's own state. */
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
 * Returns whether a row failed for a reason of its own: it cannot be read or written, or a bug meets what it holds. What is busy, out
 * of reach or forbidden is so for every row.
 */
export function isPermanent(error: unknown): boolean {
  if (isPassing(error) || (error instanceof Problem && error.status === 503)) return false;
  const { $metadata, name = '' } = failureOf(error);
  return $metadata === undefined || error instanceof UnfitRow || refusals.includes(name);
}

const maxReason = 300;

/** Returns what may be shown of an error: a parser quotes what it was given, which may be the text of a message. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no error was thrown';
  if (error instanceof SyntaxError || error instanceof v.ValiError) return error.name;
  return firstCharacters(withoutControls(`${error.name}: ${error.message}`), maxReason);
}

/** Returns whether a row is a dead letter, which nobody works on until an operator puts it back. */
export const isDead = (row: Readonly<Record<string, unknown>>): boolean => row['dead'] !== undefined;

/** Counts one more try of a row, in the row. Returns how many there were, undefined when it is gone. */
export async function countTry({ pk, sk }: Key): Promise<number | undefined> {
  try {
    const key = { pk, sk };
    const { item } = await writeIf({ key, add: { tries: 1 }, set: { triedAt: timestamp() }, if: { present: ['pk'] } });
    return item && Number(item['tries']);
  } catch (error) {
    // It has no number there, or no room for one.
    if (failureOf(error).name === 'ValidationException') return maxTries;
    throw error;
  }
}

/** Counts a try of a row that failed for a reason of its own. After the last one the row is a dead letter. */
export async function countFailure(row: Key, error: unknown): Promise<void> {
  const tries = await countTry(row);
  if (tries === undefined) return;
  log().error('a row failed for a reason of its own', { row: idOf(row), tries, reason: reasonOf(error) });
  if (tries >= maxTries) await bury(row, error);
}

/** Makes a row a dead letter, in its place. Nothing happens to one that is gone. */
export async function bury({ pk, sk }: Key, error: unknown): Promise<void> {
  const dead = { at: timestamp(), reason: reasonOf(error) };
  log().error('a row is a dead letter', { row: idOf({ pk, sk }), reason: dead.reason });
  try {
    await writeIf({ key: { pk, sk }, set: { dead }, if: { present: ['pk'] } });
  } catch (failure) {
    // No room for it, in a row larger than any that is written here: every sweep finds it again, and counts it by this.
    if (!isPermanent(failure)) throw failure;
    log().error('a row cannot be made a dead letter', { row: idOf({ pk, sk }), reason: reasonOf(failure) });
    measure(sweepDimensions, { deadRows: 1 });
  }
}

/** Fields of a dead letter that an operator sees, as far as this version can read them. */
const Shown = v.object({
  tenant: v.fallback(v.nullable(v.string()), null),
  tries: v.fallback(v.nullable(v.number()), null),
  dead: v.fallback(v.object({ at: v.nullable(v.string()), reason: v.string() }), { at: null, reason: 'unknown' }),
});

/** Queries side by side. */
const maxQueries = 16;
/** A timer that is buried is due by then: that of a saga is set a few minutes ahead (lib/table/resume.ts). */
const longestAheadMs = hourMs;

/** Returns every dead letter, oldest first. Timers that are due later than that are not read. */
export async function listDead(): Promise<DeadLetter[]> {
  const found: Row[] = [];
  const below = shifted(timestamp(), longestAheadMs);
  await inParallel([...shardsOf('outbox'), ...shardsOf('due')], maxQueries, async (pk) => {
    for await (const page of pages({ pk, below, ascending: true })) found.push(...page.filter(isDead));
  });
  found.sort((a, b) => (a.sk < b.sk ? -1 : 1));
  return found.map((row) => {
    const { tenant, tries, dead } = v.parse(Shown, row);
    return { id: idOf(row), tenant, reason: dead.reason, tries, deadAt: dead.at };
  });
}

/** Puts a dead letter back to work, untried: the next sweep finds it. Returns whether there was one. */
export const putBack = (id: string): Promise<boolean> => ifDead(id, { remove: ['dead', 'tries', 'triedAt'] });

/** Removes a dead letter for good. Returns whether there was one. */
export const discard = (id: string): Promise<boolean> => ifDead(id, { item: null });

async function ifDead(id: string, write: { remove: string[] } | { item: null }): Promise<boolean> {
  const [pk, sk] = id.split(/\/(.*)/s);
  if (!pk || !sk) return false;
  return (await writeIf({ key: { pk, sk }, ...write, if: { present: ['dead'] } })).item !== undefined;
}

const idOf = ({ pk, sk }: Key) => `${pk}/${sk}`;
