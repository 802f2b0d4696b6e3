import * as v from 'valibot';
import { type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { type Key, rowKey } from '#lib/table/keys.ts';

/** Rows of the outbox that have their numbers and may not all be in the feed yet, whose process gave them and when. */
export const Opened = v.object({
  by: v.string(),
  atMs: v.number(),
  rows: v.array(v.object({ pk: v.string(), sk: v.string(), first: v.number(), auditId: v.optional(v.number()) })),
});
export type Opened = v.InferOutput<typeof Opened>;

/** The number of a tenant's latest event, and what is open. `round` is another one each time that something was opened. */
export const Numbers = v.optional(
  v.object({ last: v.optional(v.number()), round: v.optional(v.string()), open: v.optional(Opened) }),
  {},
);

export const numbersKey = (tenant: Tenant): Key => rowKey('sequence', { tenant: tenantKey(tenant) });
