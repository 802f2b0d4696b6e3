import * as v from 'valibot';
import { dayMs, shifted } from '#lib/core/clock.ts';
import { invalidField } from '#lib/core/problem.ts';
import { queryTime } from '#lib/core/schema.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

const defaultDays = 30;
const maxDays = 366;

/** `from` and `to` of every analysis, both inclusive (contract section 11). */
export const rangeQuery = { from: v.optional(queryTime()), to: v.optional(queryTime()) };

export interface Range {
  from: string;
  to: string;
}

/** The range that is asked for: the last 30 days unless given. Raises 400 when it is turned round or longer than 366 days. */
export function rangeOf(tx: UnitOfWork, query: { from?: string | undefined; to?: string | undefined }): Range {
  const to = query.to ?? tx.now;
  const from = query.from ?? shifted(to, -defaultDays * dayMs);
  if (from > to) throw invalidField('query.from', 'out_of_range', 'query.from must not be after query.to');
  if (new Date(to).getTime() - new Date(from).getTime() > maxDays * dayMs) {
    throw invalidField('query.from', 'out_of_range', `the range must be at most ${maxDays} days`);
  }
  return { from, to };
}
