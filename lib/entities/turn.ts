import * as v from 'valibot';
import { storedLine, storedTime } from '#lib/schema.ts';
import { entity } from '#lib/table/entity.ts';

/** When something was last added of which an environment has so many at most. */
export const Turns = entity({
  name: 'turn',
  schema: v.object({ things: storedLine(100), at: storedTime() }),
  sortKey: ({ things }) => things,
});
