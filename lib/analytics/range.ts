import * as v from 'valibot';
import { dayMs, shifted } from '#lib/core/clock.ts';
import { invalidField } from '#lib/core/problem.ts';
import { queryTime, timeZone } from '#lib/core/schema.ts';
import { defaultZone, type Zone, zoneOf } from '#lib/core/zone.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

const defaultDays = 30;
const maxDays = 366;

const dateAlone = /^\s*(\d{4}-\d{2}-\d{2})\s*$/;

/** A time, or a date alone, which stays one: it begins when the day does in the zone. */
function bound() {
  const schema = queryTime();
  return {
    ...schema,
    '~run'(dataset: { value: unknown }, config: never) {
      const [, date] = dateAlone.exec(String(dataset.value)) ?? [];
      const read = schema['~run'](dataset as never, config);
      return read.issues || date === undefined ? read : { ...read, value: date };
    },
  } as typeof schema;
}

/** `from` and `to` of every analysis, both inclusive (contract section 11), and the zone of their days. */
export const rangeQuery = {
  from: v.optional(bound()),
  to: v.optional(bound()),
  timeZone: v.optional(timeZone(), defaultZone),
};

type RangeQuery = v.InferOutput<v.ObjectSchema<typeof rangeQuery, undefined>>;

export interface Range {
  from: string;
  to: string;
}

/** Returns the range: the last 30 days unless given. Raises 400 when it is turned round or longer than 366 days. */
export function rangeOf(tx: UnitOfWork, query: RangeQuery): Range & { zone: Zone } {
  const zone = zoneOf(query.timeZone);
  const moment = (at: string) => (dateAlone.test(at) ? zone.start(at) : at);
  const to = moment(query.to ?? tx.now);
  const from = query.from === undefined ? shifted(to, -defaultDays * dayMs) : moment(query.from);
  if (from > to) throw invalidField('query.from', 'out_of_range', 'query.from must not be after query.to');
  if (new Date(to).getTime() - new Date(from).getTime() > maxDays * dayMs) {
    throw invalidField('query.from', 'out_of_range', `the range must be at most ${maxDays} days`);
  }
  return { from, to, zone };
}
