import * as v from 'valibot';
import { id, maxEncrypted, storedLine, storedList, storedText, storedTime } from '#lib/schema.ts';
import { entity } from '#lib/table/entity.ts';

/** An environment has no more. */
export const maxEndpoints = 20;

/**
 * All endpoints of a tenant with the secret that signs. It makes their urls unique, limits their number and shares
 * the secret.
 */
export const Registries = entity({
  name: 'webhook-registry',
  schema: v.object({
    id: v.literal(1),
    endpoints: storedList(v.object({ id: id(), url: storedLine(2048) }), maxEndpoints),
    /** Encrypted. */
    secret: storedText(maxEncrypted),
    secretHint: storedLine(100),
    previousSecret: v.nullable(storedText(maxEncrypted)),
    previousValidUntil: v.nullable(storedTime()),
  }),
});

export type Registry = v.InferOutput<(typeof Registries)['schema']>;
