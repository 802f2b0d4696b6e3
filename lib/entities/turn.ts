import * as v from 'valibot';
import { entity } from '#lib/table/entity.ts';

/** When something was last added of which an environment has so many at most. */
export const Turns = entity({
  name: 'turn',
  schema: v.object({ things: v.string(), at: v.string() }),
  sortKey: ({ things }) => things,
});
