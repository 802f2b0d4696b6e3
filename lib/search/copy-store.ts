import type { CopiedNoun } from '#lib/core/choices.ts';
import { dayMs, fromNow, latest, minuteMs, shifted } from '#lib/core/clock.ts';
import { log } from '#lib/core/log.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { Copies, type StoredCopy } from '#lib/entities/copy.ts';
import { copyKey } from '#lib/files/keys.ts';
import { changedSince, notedDays } from '#lib/table/changed.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { copyFormat } from './copy-columns.ts';
import { type CopyFile, openFile } from './copy-file.ts';
import type { SearchField } from './nouns.ts';

/** A noun with fewer rows has no copy: reading them costs as much. */
export const minRows = 1000;
/** Copies that are older are renewed when they are read. */
const renewedAfterMs = dayMs;
/** Longer than that a copy is not used: the notes of what has changed since may be gone. */
const usedForMs = (notedDays - 1) * dayMs;
/** A copy is renewed after so many changes, or after one of so many rows. */
const minChanges = 300;
const rowsPerChange = 500;
/** Between the beginnings of two renewals, however many changes there are. */
const leastPauseMs = 10 * minuteMs;
/** All rows are read instead of the copy where more than one in so many has changed. */
const changedPart = 4;

/** A copy that can be read, with the sort keys of the rows that have changed since. */
export interface UsableCopy {
  file: CopyFile;
  asOf: string;
  changed: ReadonlySet<string>;
}

interface Usable extends StoredCopy {
  version: string;
  asOf: string;
}

/** Whether a copy has a file that this release reads, and the notes of all changes since are there. */
export const isUsable = (copy: StoredCopy): copy is Usable =>
  copy.version !== null && copy.asOf !== null && copy.asOf > fromNow(-usedForMs) && copy.format === copyFormat;

/** Returns the copy of a noun; undefined where none is worth reading. Has one that is old renewed. Throws where its file is gone. */
export async function findCopy(tenant: Tenant, noun: CopiedNoun): Promise<UsableCopy | undefined> {
  const copy = await UnitOfWork.forAnswer(tenant, system).find(Copies, { noun });
  if (copy === undefined || !isUsable(copy)) return undefined;
  const changed = await changedSince(tenant, noun, copy.asOf);
  if (changed.size > Math.max(minChanges, copy.rows / rowsPerChange) || copy.asOf < fromNow(-renewedAfterMs))
    await askRenewal(tenant, noun, copy);
  if (changed.size * changedPart > copy.rows) return undefined;
  const file = await openFile(copyKey(tenant, noun, copy.version), copy);
  return { file, asOf: copy.asOf, changed };
}

/** Whether a copy has all these fields: one that is newer than the copy has values in changed rows alone. */
export const hasAll = ({ file, asOf }: UsableCopy, used: Iterable<SearchField>): boolean =>
  [...used].every(
    ({ field }) =>
      field === undefined ||
      field.createdAt >= asOf ||
      file.fields.some(({ id, isArchived }) => id === field.id && !isArchived),
  );

/** Has the copy of a noun renewed soon, unless that was asked before. A search does not fail with it. */
export async function askRenewal(tenant: Tenant, noun: CopiedNoun, known?: StoredCopy): Promise<void> {
  if (known && known.renewAt !== null) return;
  try {
    await transact(tenant, system, async (tx) => {
      const copy = await tx.find(Copies, { noun });
      if (copy === undefined) return tx.create(Copies, { ...noCopy, noun, renewAt: tx.now });
      if (copy.renewAt !== null) return copy;
      const renewAt = latest(tx.now, copy.begunAt && shifted(copy.begunAt, leastPauseMs)) as string;
      return tx.update(Copies, { ...copy, renewAt });
    });
  } catch (error) {
    log().warn('the renewal of a copy is not asked for', error as Error);
  }
}

const noCopy = {
  version: null,
  format: copyFormat,
  asOf: null,
  rows: 0,
  sizeBytes: 0,
  footerBytes: 0,
  next: null,
  begunAt: null,
} satisfies Omit<StoredCopy, 'noun' | 'renewAt'>;
