import * as v from 'valibot';
import { dayMs, epochSeconds } from '#lib/core/clock.ts';
import { count, id, storedChoice, time } from '#lib/core/schema.ts';
import { entity } from '#lib/table/entity.ts';

const shown = {
  id: id(),
  /** `failed`: there is more than a file may hold. */
  status: storedChoice(['queued', 'running', 'completed', 'failed']),
  createdAt: time(),
  completedAt: v.nullable(time()),
  sizeBytes: v.nullable(count()),
};

/** How far the file is that an export becomes which is too large for an answer, and where it is, for five minutes. */
export const ExportFile = v.pipe(
  v.object({ ...shown, url: v.nullable(v.string()), expiresAt: v.nullable(time()) }),
  v.title('ContactExportFile'),
);

/** The bucket removes a file within two days; until then whoever erases the person must find it. */
const keptMs = 7 * dayMs;

/** The export of a contact as a file. */
export const Exports = entity({
  name: 'export',
  schema: v.object({
    ...shown,
    /** Whose data the file holds. */
    contactId: id(),
    /** Contact that the export was asked for: one that it was merged into has more. */
    madeOf: id(),
    hasMail: v.boolean(),
  }),
  references: [{ to: 'contact', field: 'contactId', isOwned: true }],
  indexes: { contact: ({ contactId }) => contactId },
  expiresAtSeconds: ({ createdAt }) => epochSeconds(new Date(Date.parse(createdAt) + keptMs)),
});

export type StoredExport = v.InferOutput<(typeof Exports)['schema']>;
