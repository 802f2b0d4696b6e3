import type * as v from 'valibot';

/** What the schemas of valibot consist of, as far as it is looked at here. */
interface Parts {
  entries?: Record<string, Schema>;
  item?: Schema;
  wrapped?: Schema;
  value?: Schema;
  pipe?: readonly (Schema & { metadata?: { enum?: readonly string[] } })[];
}
type Schema = v.GenericSchema & Parts;

/** What is a time, and compared with others as a text. */
const times = /(At|Until|Since|Before|^at)$/;
const isTime = (text: string) =>
  /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z)?$/.test(text) && !Number.isNaN(Date.parse(text));

/** What is tried for so long as these are few. */
const counts = /^(attempts|unsettledAttempts|tries|failures|consecutiveFailures|openings|averageMs|currentStep)$/;

/**
 * What the API could not show of a value that the schema lets through: a choice that only a newer release knows, or a time that is none.
 * Undefined where there is no such thing.
 */
export function oddity(schema: Schema, value: unknown, name = 'it'): string | undefined {
  if (value === null || value === undefined) return undefined;
  const { entries, item, wrapped, value: each, pipe = [] } = schema;
  const choices = pipe.find(({ metadata }) => metadata?.enum)?.metadata?.enum;
  if (choices && !choices.includes(String(value))) return `has a ${name} that there is not`;
  if (times.test(name) && typeof value === 'string' && !isTime(value)) return `has no time as ${name}`;
  if (counts.test(name) && Number(value) < 0) return `counts ${name} below zero`;
  if (wrapped) return oddity(wrapped, value, name);
  if (item && Array.isArray(value)) return first(value.map((one) => oddity(item, one, name)));
  if (entries) return first(Object.entries(entries).map(([key, of]) => oddity(of, (value as Row)[key], key)));
  if (each) return first(Object.entries(value).map(([key, one]) => oddity(each, one, key)));
  return undefined;
}

type Row = Record<string, unknown>;

const first = (found: readonly (string | undefined)[]) => found.find((one) => one !== undefined);
