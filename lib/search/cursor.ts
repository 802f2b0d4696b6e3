import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { canonicalJson } from '#lib/core/canonical.ts';
import { timestamp } from '#lib/core/clock.ts';
import { invalidField } from '#lib/core/problem.ts';
import { time } from '#lib/core/schema.ts';
import type { SearchBody } from '#lib/core/search-body.ts';
import type { Position } from './order.ts';
import type { Asked } from './question.ts';

/** A search with the filter and the order of its view. */
type Search = Pick<SearchBody, 'q' | 'archived' | 'timeZone' | 'cursor'> & Pick<Asked, 'filters' | 'sort'>;

/** Where a search goes on: behind a row, with the time of its first page. */
export interface Place {
  now: string;
  behind: Position | undefined;
}

const operand = v.union([v.string(), v.number(), v.object({ amount: v.number(), currency: v.string() })]);
const at = v.pipe(
  time(),
  v.check((text) => !Number.isNaN(Date.parse(text))),
);
const Stored = v.tuple([v.string(), at, v.array(v.nullable(operand)), v.number()]);

/** Returns the mark of a search: of the rows that are wanted, and of their order. */
const digestOf = ({ q, filters, sort, archived, timeZone }: Search) =>
  createHash('sha256')
    .update(canonicalJson([q, filters, sort, archived, timeZone]))
    .digest('base64url')
    .slice(0, 16);

/** Returns the cursor behind a row. */
export const cursorOf = (search: Search, now: string, { keys, id }: Position): string =>
  Buffer.from(JSON.stringify([digestOf(search), now, keys, id])).toString('base64url');

/** Returns where a search begins. Raises 400 for a cursor of another search. */
export function placeOf(search: Search): Place {
  if (search.cursor === undefined) return { now: timestamp(), behind: undefined };
  const [digest, now, keys, id] = storedIn(search.cursor);
  if (digest !== digestOf(search)) throw wrongCursor('belongs to another search: send the body of its first page');
  return { now, behind: { keys, id } };
}

function storedIn(cursor: string): v.InferOutput<typeof Stored> {
  try {
    return v.parse(Stored, JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw wrongCursor('must be the nextCursor of a page of this search');
  }
}

const wrongCursor = (sentence: string) => invalidField('cursor', 'invalid_format', `cursor ${sentence}`);
