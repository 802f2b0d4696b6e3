import { isMissing } from '#lib/aws/aws.ts';
import type { CopiedNoun } from '#lib/core/choices.ts';
import { fromNow, minuteMs, secondMs, shifted } from '#lib/core/clock.ts';
import { randomText } from '#lib/core/random.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { copyTimeoutSeconds } from '#lib/core/timeouts.ts';
import { Copies, type StoredCopy } from '#lib/entities/copy.ts';
import type { StoredField } from '#lib/entities/field.ts';
import { removeFiles, storeFile } from '#lib/files/bucket.ts';
import { copyKey } from '#lib/files/keys.ts';
import { withLocalFile } from '#lib/files/spool.ts';
import { changedSince } from '#lib/table/changed.ts';
import { type Entity, entityPartition, idOf } from '#lib/table/entity.ts';
import { sortableId } from '#lib/table/keys.ts';
import { pages } from '#lib/table/pages.ts';
import { type Row, readRows } from '#lib/table/rows.ts';
import { readable } from '#lib/table/stored.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { fieldsOf } from '#lib/workspaces/fields.ts';
import { type Column, columnsOf, copyFormat, valuesOf } from './copy-columns.ts';
import { type CopyFile, openFile, readGroups } from './copy-file.ts';
import { isUsable, minRows } from './copy-store.ts';
import { CopyWriter } from './copy-writer.ts';
import { copiedRecords } from './nouns.ts';

/** Longer than any transaction is open: what began before and is not in the copy was never written. */
const overlapMs = 5 * minuteMs;
/** A renewal that is killed is tried again. */
const leaseMs = copyTimeoutSeconds * secondMs + 2 * minuteMs;
/** Limit of the changed rows above which all rows are read. */
const maxChanged = 50_000;
/** Changed rows that are read together. */
const perRead = 400;

/** Renews the copy of a noun if that is due: writes another file, and removes the old one. */
export async function renewCopy(tenant: Tenant, noun: CopiedNoun): Promise<void> {
  const copy = await begin(tenant, noun);
  if (copy === undefined) return;
  const asOf = fromNow(-overlapMs);
  const { isStored, ...written } = await writeCopy(tenant, copy).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
    // The old file is gone.
    return writeCopy(tenant, { ...copy, version: null });
  });
  const version = isStored ? copy.next : null;
  const isCurrent = await transact(tenant, system, async (tx) => {
    const now = await tx.find(Copies, { noun });
    if (now?.next !== copy.next) return false;
    tx.update(Copies, { ...now, ...written, version, format: copyFormat, asOf, next: null, renewAt: null });
    return true;
  });
  const gone = [isCurrent ? copy.version : version, isStored ? null : copy.next].filter((one) => one !== null);
  await removeFiles(gone.map((one) => copyKey(tenant, noun, one)));
}

/** Returns the copy whose renewal now begins; undefined where none is due. */
const begin = (tenant: Tenant, noun: CopiedNoun) =>
  transact(tenant, system, async (tx) => {
    const copy = await tx.find(Copies, { noun });
    if (copy === undefined || copy.renewAt === null || copy.renewAt > tx.now) return undefined;
    // The name that a killed renewal has used is used again: no file is left that no row names.
    const next = copy.next ?? randomText(16);
    return { ...tx.update(Copies, { ...copy, next, begunAt: tx.now, renewAt: shifted(tx.now, leaseMs) }), next };
  });

type Begun = StoredCopy & { next: string };

/** Writes the next file of a copy, unless there are few rows. */
async function writeCopy(tenant: Tenant, copy: Begun) {
  const { noun } = copy;
  const records = copiedRecords(noun);
  const { object } = records;
  const fields = object ? await fieldsOf(UnitOfWork.forAnswer(tenant, system), object) : [];
  const columns = columnsOf(records, fields);
  return withLocalFile(async (path) => {
    const writer = new CopyWriter(path, columns, fields);
    await writeRows(tenant, copy, { fields, columns, writer });
    const size = await writer.finish();
    const isStored = writer.rows >= minRows;
    if (isStored) await storeFile(copyKey(tenant, noun, copy.next), path, size.sizeBytes);
    return { ...size, rows: writer.rows, isStored };
  });
}

interface Target {
  fields: readonly StoredField[];
  columns: readonly Column[];
  writer: CopyWriter;
}

/** Writes all rows: those that have not changed from the old copy, or each from the table. */
async function writeRows(tenant: Tenant, copy: Begun, target: Target): Promise<void> {
  const { of } = copiedRecords(copy.noun);
  if (isUsable(copy)) {
    const old = await openFile(copyKey(tenant, copy.noun, copy.version), copy);
    const isAlike = JSON.stringify(old.fields) === JSON.stringify(target.fields);
    const changed = await changedSince(tenant, copy.noun, copy.asOf);
    if (isAlike && changed.size <= maxChanged) return writeAnew(tenant, of, old, changed, target);
  }
  for await (const page of pages({ pk: entityPartition(tenant, of), ascending: true }))
    for (const stored of page) addRow(of, stored, target);
}

function addRow(of: Entity, stored: Row, { columns, writer }: Target): void {
  const row = readable(of, stored);
  if (row !== undefined) writer.add(valuesOf(columns, row as never));
}

/** Writes the rows of a copy and those that have changed since, in the order of their ids. */
async function writeAnew(
  tenant: Tenant,
  of: Entity,
  old: CopyFile,
  changed: ReadonlySet<string>,
  target: Target,
): Promise<void> {
  const { columns, writer } = target;
  const names = columns.map(({ name }) => name);
  const changes = changedRows(tenant, of, [...changed].sort());
  let change = await changes.next();
  const addChangesBelow = async (id: number) => {
    for (; !change.done && idOf(change.value) < id; change = await changes.next()) addRow(of, change.value, target);
  };
  for await (const { rows, values } of readGroups(old, names, { isReadOnce: true })) {
    const all = names.map((name) => values.get(name) ?? []);
    const ids = values.get('id') as ArrayLike<number>;
    for (let index = 0; index < rows; index += 1) {
      const id = ids[index] as number;
      await addChangesBelow(id);
      if (!changed.has(sortableId(id))) writer.add(all.map((column) => column[index] ?? null));
    }
  }
  await addChangesBelow(Number.POSITIVE_INFINITY);
}

/** Reads the changed rows that are still there, by and by. */
async function* changedRows(tenant: Tenant, of: Entity, places: readonly string[]): AsyncGenerator<Row> {
  const pk = entityPartition(tenant, of);
  for (let at = 0; at < places.length; at += perRead) {
    const rows = await readRows(places.slice(at, at + perRead).map((sk) => ({ pk, sk })));
    yield* [...rows.values()].sort((a, b) => (a.sk < b.sk ? -1 : 1));
  }
}
