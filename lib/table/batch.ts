import * as v from 'valibot';
import { oncePer } from '#lib/core/async.ts';
import { canonicalJson } from '#lib/core/canonical.ts';
import { parseFields, requireKnown, unknownFields } from '#lib/core/fields.ts';
import { badRequest, invalidField, Problem, problemAt } from '#lib/core/problem.ts';
import { count, id, listInput } from '#lib/core/schema.ts';
import { giveUpMs } from '#lib/table/saga.ts';
import { transactCall } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { unitsTaken } from '#lib/table/usage.ts';
import { type Claim, ItemDone, openProgress, type Progress } from './batch-progress.ts';
import { within } from './transact.ts';

/** Meaning of one `op` of a batch. */
export interface BatchOp<Schema extends v.GenericSchema = v.GenericSchema, Shown = unknown> {
  /** Schema of the item, `op` included. */
  schema: Schema;
  /** Fields that belong to another operation, with its name: sending one is a 400 of the item. */
  readOnly?: Record<string, string>;
  /** Names the resources of an item: items that share one run in order, others side by side. `*` is every resource, undefined none. */
  touches?(item: v.InferOutput<Schema>): string | undefined;
  /** The status and the resource that the single call would answer. */
  run(tx: UnitOfWork, item: v.InferOutput<Schema>): Promise<{ status: 200 | 201; shown: Shown }>;
}

/** Gives an operation its exact type. */
export const batchOp = <Schema extends v.GenericSchema, Shown>(op: BatchOp<Schema, Shown>): BatchOp => op;

export type BatchOps = Record<string, BatchOp>;

/** The body of a batch. Items are checked one by one later, because a bad one is a 400 of its own. */
export const batchBody = (title: string, ops: BatchOps) =>
  v.pipe(
    v.object({
      items: v.pipe(
        listInput(checkedLater(`${title}Item`, Object.values(ops)), 100, 'items'),
        v.minLength(1, 'must have at least 1 item'),
      ),
      atomic: v.optional(v.boolean(), false),
    }),
    v.title(title),
  );

/** Described as one of the schemas, which `op` tells, and accepts anything. */
const checkedLater = (title: string, ops: readonly BatchOp[]): v.GenericSchema<unknown> => ({
  ...v.pipe(v.variant('op', ops.map(({ schema }) => schema) as never), v.title(title)),
  '~run': ({ value }) => ({ typed: true, value }),
});

const Envelope = v.pipe(
  v.object({ error: v.string(), message: v.string(), details: v.nullable(v.looseObject({})) }),
  v.title('ApiError'),
);

/** The answer of a batch; `name` is the field that shows an item's resource. */
export const batchAnswer = <Name extends string, Shown extends v.GenericSchema>(
  title: string,
  name: Name,
  shown: Shown,
) =>
  v.pipe(
    v.object({
      results: v.array(
        v.pipe(
          v.object({
            index: count(),
            status: count(),
            ...({ [name]: v.nullable(shown) } as Record<Name, v.NullableSchema<Shown, undefined>>),
            error: v.nullable(Envelope),
            /** Resource that has no room in the answer. */
            id: v.optional(id()),
          }),
          v.title(title.replace(/s$/, '')),
        ),
      ),
      succeeded: count(),
      failed: count(),
    }),
    v.title(title),
  );

interface Result {
  status: number;
  shown: unknown;
}

interface Outcome extends Result {
  error: Problem['body'] | null;
}

interface BatchInput {
  tx: UnitOfWork;
  body: { items: unknown[]; atomic: boolean };
  /** The request, however often its work is repeated. */
  request: object;
  claim?: Claim | undefined;
  /** Where parameters are named that nothing knows. */
  reply: { ignored: string[] };
  /** Whether an item with such a parameter is refused. */
  isStrict?: boolean;
}

/**
 * Runs the items of a batch (contract section 2): each as a unit of work of its own, or with `atomic` all in the request's. Under
 * an Idempotency-Key an item is done once, however often the request is sent. Raises 400 `too_many` for more than ten items of an
 * atomic batch, and with `details.results` when one of them fails.
 */
export async function runBatch<Name extends string>(
  input: BatchInput,
  name: Name,
  ops: BatchOps,
): Promise<BatchResults<Name>> {
  if (input.body.atomic && input.body.items.length > maxAtomic)
    throw invalidField('items', 'too_many', `items must have at most ${maxAtomic} items where atomic is true`);
  const items = input.body.items.map((item, index) => prepare(item, index, ops, input.isStrict));
  // Not spread into one call: a body may have more names than a call takes arguments.
  for (const { index, ignored } of items)
    for (const name of ignored) input.reply.ignored.push(`items[${index}].${name}`);
  const outcomes = await (input.body.atomic ? together(input.tx, items) : oneByOne(input, items));
  const results = outcomes.map(({ status, shown, error }, index) => ({
    index,
    status,
    [name]: shown,
    error,
  })) as never[];
  const failed = outcomes.filter(({ error }) => error !== null).length;
  if (input.body.atomic && failed > 0) {
    throw badRequest(
      'batch_failed',
      `${failed} of ${items.length} items failed, so nothing was done: correct them, and send all again`,
      {
        results: outcomes.map(({ status, error }, index) => ({ index, status, [name]: null, error })),
      },
    );
  }
  return { results, succeeded: items.length - failed, failed };
}

interface BatchResults<Name extends string> {
  results: ({ index: number; status: number; error: Problem['body'] | null } & Record<Name, never>)[];
  succeeded: number;
  failed: number;
}

interface Prepared {
  index: number;
  touches: string;
  /** Fields that the operation does not know. */
  ignored: readonly string[];
  run: (tx: UnitOfWork) => Promise<Result>;
}

function prepare(item: unknown, index: number, ops: BatchOps, isStrict = false): Prepared {
  const refused = (problem: Problem): Prepared => ({
    index,
    touches: `item ${index}`,
    ignored: [],
    run: async () => Promise.reject(problem),
  });
  if (typeof item !== 'object' || item === null)
    return refused(invalidField('item', 'invalid_type', 'item must be an object'));
  const given = 'op' in item && item.op !== null ? item.op : '';
  const name = typeof given === 'string' ? given.trim() : undefined;
  const [known, op] = Object.entries(ops).find(([one]) => one.toLowerCase() === name?.toLowerCase()) ?? [];
  if (op === undefined) {
    const code = name === undefined ? 'invalid_type' : name === '' ? 'required' : 'invalid_enum';
    return refused(invalidField('op', code, `op must be one of ${Object.keys(ops).join(', ')}`));
  }
  const ignored = unknownFields(op.schema, item);
  let parsed: v.InferOutput<typeof op.schema>;
  try {
    parsed = parseFields(op.schema, { ...item, op: known }, op.readOnly);
    if (isStrict) requireKnown(ignored);
  } catch (problem) {
    if (problem instanceof Problem) return refused(problem);
    throw problem;
  }
  return {
    index,
    touches: op.touches?.(parsed) ?? `item ${index}`,
    ignored,
    run: (tx) => op.run(tx, parsed),
  };
}

/** The outcome of one item; a fault that is not the item's goes on. */
async function outcomeOf({ index }: Prepared, work: () => Promise<Result>): Promise<Outcome> {
  try {
    return { ...(await work()), error: null };
  } catch (error) {
    if (error instanceof ItemDone) return error.outcome;
    if (!(error instanceof Problem)) throw error;
    return { status: error.status, shown: null, error: problemAt(`items[${index}]`, error).body };
  }
}

async function together(tx: UnitOfWork, items: readonly Prepared[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const item of items) outcomes.push(await outcomeOf(item, () => item.run(tx)));
  return outcomes;
}

const sideBySide = 8;

/** One transaction of DynamoDB takes as many with all that belongs to them, but for the largest. */
const maxAtomic = 10;

/**
 * Upper bound of a batch's writes, about 10 MB, in read units: a transaction takes two write units a kilobyte, also for
 * its checks.
 */
const maxUnits = 100_000;

const tooLarge = () => badRequest('batch_too_large', 'a batch writes at most 10 MB: send this item in another batch');

/** Requests whose final commit is repeated do not repeat their items. */
const once = oncePer<BatchInput['request'], Outcome[]>();

const oneByOne = (input: BatchInput, items: readonly Prepared[]): Promise<Outcome[]> =>
  once(input.request, () => runLanes(input, items));

async function runLanes({ tx, claim, body }: BatchInput, items: readonly Prepared[]): Promise<Outcome[]> {
  // The items share one deadline, for what follows from them and for waiting until others have written.
  const mayGoOn = within(giveUpMs);
  const progress = await openProgress<Outcome>(claim, canonicalJson(body));
  const outcomes: Outcome[] = [];
  const isOrdered = items.some(({ touches }) => touches === '*');
  const lanes = [...Map.groupBy(items, ({ touches }) => (isOrdered ? '*' : touches)).values()];
  const runNext = async () => {
    for (let lane = lanes.shift(); lane; lane = lanes.shift()) {
      for (const item of lane) outcomes[item.index] = await runAlone(tx, item, progress, mayGoOn);
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, runNext));
  return outcomes;
}

async function runAlone(
  tx: UnitOfWork,
  item: Prepared,
  progress: Progress<Outcome>,
  mayGoOn: () => Promise<boolean>,
): Promise<Outcome> {
  const known = progress.of(item.index);
  if (known) return known;
  if (unitsTaken() > maxUnits) return outcomeOf(item, () => Promise.reject(tooLarge()));
  const work = async (own: UnitOfWork) => {
    own.mayGoOn = mayGoOn;
    own.refusesArchived = true;
    const result = await item.run(own);
    // Also what has changed nothing: after the items behind it, it would.
    progress.mark(own, item.index, { ...result, error: null });
    return result;
  };
  return outcomeOf(item, () => transactCall(tx.tenant, tx.actor, work, { mayGoOn }));
}
