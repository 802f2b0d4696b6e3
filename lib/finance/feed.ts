import * as v from 'valibot';
import { fieldErrors } from '#lib/http/fields.ts';
import { openOutbound } from '#lib/network/outbound.ts';
import { currency, nullableTimeInput, text } from '#lib/schema.ts';
import { amount, category, description, type } from './transaction.ts';

/** How a feed is written; the description of `GET /v1/finance/revenue-sources` says it to those who write one. */
const FeedRow = v.object({
  id: v.pipe(
    v.union([text(200), v.pipe(v.number(), v.safeInteger('must be an integer'))], 'must be text or an integer'),
    v.transform(String),
  ),
  type: v.optional(type(), 'income'),
  amount: amount(),
  currency: v.nullish(currency()),
  category: v.optional(category(), null),
  description: v.optional(description(), null),
  occurredAt: v.optional(nullableTimeInput(), null),
});
export type FeedRow = v.InferOutput<typeof FeedRow>;

const Feed = v.union([
  v.array(v.unknown()),
  v.pipe(
    v.object({ items: v.array(v.unknown()) }),
    v.transform(({ items }) => items),
  ),
]);

const timeoutMs = 20_000;
const maxBytes = 10 * 1024 * 1024;
const maxReported = 3;

/** Why a pull failed, in words for the customer. */
export class FeedFailure extends Error {}

/** The good rows of a feed, each id once, and what is wrong with the others. */
export interface FeedContent {
  rows: FeedRow[];
  refused: string | null;
}

/** Fetches and reads a feed. Throws FeedFailure when there is no answer to read or no row that is right. */
export async function fetchFeed(url: string, credential: string | null): Promise<FeedContent> {
  const outbound = openOutbound({ maxBytes });
  try {
    const { status, body, error } = await outbound.send(url, {
      method: 'GET',
      headers: { accept: 'application/json', ...(credential !== null && { authorization: `Bearer ${credential}` }) },
      timeoutMs,
    });
    if (error !== null) throw new FeedFailure(error);
    if (status === null || status < 200 || status > 299) throw new FeedFailure(`the feed answered ${status}`);
    return readFeed(body.toString());
  } finally {
    await outbound.close();
  }
}

function readFeed(json: string): FeedContent {
  const items = v.safeParse(Feed, parsed(json));
  if (!items.success) throw new FeedFailure('the feed is neither a JSON array nor an object with items');
  const rows = new Map<string, FeedRow>();
  const wrong: string[] = [];
  for (const [index, item] of items.output.entries()) {
    const row = v.safeParse(FeedRow, item);
    if (!row.success) wrong.push(messageOf(row.issues[0], index));
    else if (!rows.has(row.output.id)) rows.set(row.output.id, row.output);
  }
  if (wrong.length === 0) return { rows: [...rows.values()], refused: null };
  const count = items.output.length;
  const refused = `${wrong.length} of ${count} rows were refused: ${wrong.slice(0, maxReported).join('; ')}`;
  if (rows.size === 0) throw new FeedFailure(refused);
  return { rows: [...rows.values()], refused };
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
