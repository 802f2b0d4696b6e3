import * as v from 'valibot';
import { queues } from '#lib/core/queues.ts';
import { count } from '#lib/core/schema.ts';
import { tenantKeyPattern } from '#lib/core/tenant.ts';

/** A row that waits for its time, as the table keeps it beside the row itself (lib/table/entity.ts). */
export const TimerRow = v.object({
  sk: v.string(),
  at: v.pipe(
    v.string(),
    v.check((at) => !Number.isNaN(Date.parse(at))),
  ),
  queue: v.picklist(queues),
  tenant: v.pipe(v.string(), v.regex(tenantKeyPattern)),
  message: v.record(v.string(), v.unknown()),
  group: v.string(),
  /** One message makes the worker do whatever is due of the group. */
  isForGroup: v.optional(v.boolean()),
  /** Whether the overdue timers of a queue and tenant count as one. */
  isPaced: v.optional(v.boolean()),
  /** How often the sweeper has sent its message, and when last. */
  tries: v.optional(count(), 0),
  triedAt: v.optional(v.string()),
});

export type TimerRow = v.InferOutput<typeof TimerRow>;
