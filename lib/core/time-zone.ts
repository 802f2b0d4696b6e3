import * as v from 'valibot';
import { reading } from './schema.ts';

/** Returns whether the name is a zone of the IANA database: offsets such as `+02:00` are none. */
function isZone(name: string): boolean {
  try {
    return /^[A-Za-z]/.test(name) && Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

/** A time zone by its name; offsets are none. */
export const timeZone = () =>
  reading(
    v.pipe(
      v.string(),
      v.check(isZone, 'must be a time zone of the IANA database, such as Europe/Berlin'),
      v.examples(['Europe/Berlin']),
    ),
    (value) => (typeof value === 'string' ? value.trim() : value),
  );
