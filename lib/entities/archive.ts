import * as v from 'valibot';
import type { Expand } from '#lib/core/include.ts';
import { choice, time } from '#lib/core/schema.ts';
import { EventActor } from '#lib/core/tenant.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';

/** When and by whom a record was archived (revision 1.4, section 32). */
const Archive = v.pipe(v.object({ archivedAt: time(), archivedBy: EventActor }), v.title('Archive'));
export type Archive = v.InferOutput<typeof Archive>;

/** The member of answers that `include=archive` adds. */
export const shownArchive = () => v.nullable(Archive);

/** Returns how `include=archive` is answered. */
export const includesArchive: Expand<UnitOfWork, { archive?: Archive | undefined }> = {
  archive: async (_, rows) => rows.map(({ archive = null }) => archive),
};

/** The field of a row that `isArchivable`; absent unless it is archived. */
export const archivable = { archive: v.exactOptional(Archive) };

/** The index that finds the archived rows. */
export const archiveIndex = {
  archived: { of: ({ archive }: { archive?: Archive | undefined }) => archive !== undefined, isKeptArchived: true },
} as const;

/** The filter of lists whose rows may be archived. */
export const archivedFilter = { archived: v.optional(choice(['false', 'true', 'all'])) };
