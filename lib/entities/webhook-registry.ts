import * as v from 'valibot';
import { id } from '#lib/schema.ts';
import { entity } from '#lib/table/entity.ts';

/** The one row of a tenant that makes its endpoints' urls unique, their number limited and their secret shared. */
export const Registries = entity({
  name: 'webhook-registry',
  schema: v.object({
    id: v.literal(1),
    endpoints: v.array(v.object({ id: id(), url: v.string() })),
    /** Encrypted. */
    secret: v.string(),
    secretHint: v.string(),
    previousSecret: v.nullable(v.string()),
    previousValidUntil: v.nullable(v.string()),
  }),
});

export type Registry = v.InferOutput<(typeof Registries)['schema']>;
