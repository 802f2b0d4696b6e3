import * as v from 'valibot';
import { count, id, storedChoice, time } from '#lib/core/schema.ts';
import { entity } from '#lib/table/entity.ts';

export const EraseContact = v.pipe(v.object({ confirm: v.string() }), v.title('EraseContact'));

/** How far the erasure of a contact is (contract section 26). */
export const Erasure = v.pipe(
  v.object({
    id: id(),
    status: storedChoice(['queued', 'running', 'completed']),
    createdAt: time(),
    completedAt: v.nullable(time()),
    /** How many of each kind; null before it is completed. */
    erased: v.nullable(
      v.pipe(
        v.record(v.string(), count()),
        v.examples([{ contacts: 1, messages: 12, activities: 7, events: 31 }]),
        v.title('ErasedCounts'),
      ),
    ),
  }),
  v.title('Erasure'),
);

/** The erasure of a contact, of whom it keeps nothing but what was counted. */
export const Erasures = entity({
  name: 'erasure',
  schema: v.object({ ...Erasure.entries, counts: v.record(v.string(), count()) }),
});

export type StoredErasure = v.InferOutput<(typeof Erasures)['schema']>;
