import * as v from 'valibot';
import { id } from '#lib/core/schema.ts';
import { entity } from '#lib/table/entity.ts';

/** An environment has no more. */
export const maxEndpoints = 20;

/** A secret that signs, encrypted, with the one that it has replaced. */
export const signingSecret = {
  secret: v.string(),
  secretHint: v.string(),
  previousSecret: v.nullable(v.string()),
  previousValidUntil: v.nullable(v.string()),
};

/**
 * All endpoints of a tenant with the secret that signs. It makes their urls unique, limits their number and shares
 * the secret.
 */
export const Registries = entity({
  name: 'webhook-registry',
  schema: v.object({
    id: v.literal(1),
    endpoints: v.array(v.object({ id: id(), url: v.string() })),
    ...signingSecret,
  }),
});

export type Registry = v.InferOutput<(typeof Registries)['schema']>;
