import * as v from 'valibot';
import { fieldErrors } from '#lib/core/fields.ts';
import { excessOf } from '#lib/core/money.ts';
import { cleaned, currency, line, nullableTimeInput } from '#lib/core/schema.ts';
import { oneLine, withoutControls } from '#lib/core/text.ts';
import { feedTimeoutMs } from '#lib/core/timeouts.ts';
import { amount, category, description, type } from '#lib/entities/transaction.ts';
import { openOutbound } from '#lib/network/outbound.ts';

/** How a feed is written; the description of `GET /v1/finance/revenue-sources` says it to those who write one. */
const FeedRow = v.object({
  id: v.pipe(
    v.union([line(200), v.pipe(v.number(), v.safeInteger('must be an integer'))], 'must be text or an integer'),
    v.transform(String),
  ),
  type: v.optional(type(), 'income'),
  amount: amount(),
  currency: v.nullish(currency()),
  category: v.optional(cleaned(category(), oneLine), null),
  description: v.optional(cleaned(description(), withoutControls), null),
  occurredAt: v.optional(nullableTimeInput(), null),
});
export type FeedRow = v.InferOutput<typeof FeedRow>;

// Not v.array, which makes objects for each of millions of items before any is looked at.
const items = () => v.custom<unknown[]>(Array.isArray);
const Feed = v.union([
  items(),
  v.pipe(
    v.object({ items: items() }),
    v.transform((feed) => feed.items),
  ),
]);

const maxBytes = 10 * 1024 * 1024;
/** Limit for one pull. Further rows are reported and left out. */
const maxRows = 100_000;
const maxReported = 3;

/** Why a pull failed, in words for the customer. */
export class FeedFailure extends Error {}

/** The good rows of a feed, each id once, and what is wrong with the others. */
export interface FeedContent {
  rows: FeedRow[];
  refused: string | null;
}

/** Fetches and reads a feed. Throws FeedFailure when there is no answer to read or no row that is right. */
export async function fetchFeed(url: string, credential: string | null, defaultCurrency: string): Promise<FeedContent> {
  const outbound = openOutbound({ maxBytes });
  try {
    const { status, body, error } = await outbound.send(url, {
      method: 'GET',
      headers: { accept: 'application/json', ...(credential !== null && { authorization: `Bearer ${credential}` }) },
      timeoutMs: feedTimeoutMs,
    });
    if (error !== null) throw new FeedFailure(error);
    if (status === null || status < 200 || status > 299) throw new FeedFailure(`the feed answered ${status}`);
    return readFeed(body.toString(), defaultCurrency);
  } finally {
    await outbound.close();
  }
}

function readFeed(json: string, defaultCurrency: string): FeedContent {
  const items = v.safeParse(Feed, parsed(json));
  if (!items.success) throw new FeedFailure('the feed is neither a JSON array nor an object with items');
  const count = items.output.length;
  const rows = new Map<string, FeedRow>();
  const reported: string[] = [];
  let wrong = 0;
  for (const [index, item] of items.output.slice(0, maxRows).entries()) {
    const row = v.safeParse(FeedRow, item, { abortEarly: true });
    const message = row.success ? excessIn(row.output, index, defaultCurrency) : messageOf(row.issues[0], index);
    if (!row.success || message !== undefined) {
      wrong += 1;
      if (wrong <= maxReported) reported.push(message ?? '');
    } else if (!rows.has(row.output.id)) rows.set(row.output.id, row.output);
  }
  const refusals = [
    wrong > 0 && `${wrong} of ${count} rows were refused: ${reported.join('; ')}`,
    count > maxRows && `${count - maxRows} of ${count} rows were not read: a pull reads the first ${maxRows}`,
  ].filter((refusal) => refusal !== false);
  const refused = refusals.length === 0 ? null : refusals.join('; ');
  if (refused !== null && rows.size === 0) throw new FeedFailure(refused);
  return { rows: [...rows.values()], refused };
}

function excessIn({ amount, currency }: FeedRow, index: number, defaultCurrency: string): string | undefined {
  const excess = excessOf(amount, currency ?? defaultCurrency);
  return excess && `items[${index}].amount ${excess}`;
}

function messageOf(issue: v.BaseIssue<unknown>, index: number): string {
  const [error] = fieldErrors([issue], issue.path ? `items[${index}].` : `items[${index}]`);
  return error?.message ?? '';
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new FeedFailure('the feed is not valid JSON');
  }
}
