import * as v from 'valibot';
import { queues } from '#lib/queues.ts';

/** A row that waits for its time, as the table keeps it beside the row itself (lib/table/entity.ts). */
export const WakeUpRow = v.object({
  sk: v.string(),
  at: v.string(),
  queue: v.picklist(queues),
  tenant: v.string(),
  message: v.record(v.string(), v.unknown()),
});

export type WakeUpRow = v.InferOutput<typeof WakeUpRow>;
