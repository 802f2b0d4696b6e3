import type * as v from 'valibot';
import { getStoredContact } from '#lib/contacts/read.ts';
import { hourMs, now, secondMs, shifted } from '#lib/core/clock.ts';
import { Contacts } from '#lib/entities/contact.ts';
import { type ExportFile, Exports, type StoredExport } from '#lib/entities/export.ts';
import { exportKey } from '#lib/files/keys.ts';
import { download } from '#lib/files/store.ts';
import { listPage } from '#lib/table/list.ts';
import { leaveSaga, transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { countReadUnits } from '#lib/table/usage.ts';
import { type ContactExport, nextText, type Place, type Subject } from './document.ts';
import type { Exporting } from './file.ts';

/** Limits of an answer. An export that is larger or takes longer becomes a file (contract section 26). */
const maxAnswerBytes = 1_000_000;
const maxMs = 5 * secondMs;

/** Ages up to which a finished file and an unfinished one are returned, before the next call makes another. */
const shownMs = hourMs;
const begunMs = 24 * hourMs;

type Exported = { document: v.InferInput<typeof ContactExport> } | { file: v.InferInput<typeof ExportFile> };

/**
 * Everything about a contact: the document, or the file that it becomes where it is too large for an answer. A file that there is, or
 * that is being written, is shown. Raises 404. Needs `read-export-files`.
 */
export async function exportContact(tx: UnitOfWork, id: number, hasMail: boolean): Promise<Exported> {
  const [contact, latest] = await Promise.all([getStoredContact(tx, id), latestExport(tx, id, hasMail)]);
  if (latest) return { file: await shownFile(tx, latest) };
  const text = await shortText(tx, { contact, hasMail, exportedAt: tx.now });
  if (text !== undefined) return { document: JSON.parse(text) };
  return { file: await shownFile(tx, await transact(tx.tenant, tx.actor, (own) => startExport(own, id, hasMail))) };
}

async function latestExport(tx: UnitOfWork, contactId: number, hasMail: boolean): Promise<StoredExport | undefined> {
  const { items } = await listPage(tx, Exports, {
    where: { contact: contactId },
    limit: 1,
    matches: (row) => row.madeOf === contactId && row.hasMail === hasMail && isCurrent(row, tx.now),
  });
  return items[0];
}

function isCurrent({ status, createdAt, completedAt }: StoredExport, now: string): boolean {
  if (status === 'queued' || status === 'running') return createdAt > shifted(now, -begunMs);
  return (status === 'completed' || status === 'failed') && String(completedAt) > shifted(now, -shownMs);
}

/** The document, undefined where it is larger or takes longer. */
async function shortText(tx: UnitOfWork, subject: Subject): Promise<string | undefined> {
  const deadlineMs = now() + maxMs;
  let all = '';
  let place: Place | undefined;
  while (now() < deadlineMs) {
    const { text, next } = await nextText(tx, subject, place);
    all += text;
    if (Buffer.byteLength(all) > maxAnswerBytes) return undefined;
    if (next === undefined) return all;
    place = next;
  }
  return undefined;
}

/** A file is gathered after its call, and counts as so many read units in the minute of its key. */
const unitsOfFile = 2_000;

/** Has a worker write the file of a contact. Raises 404. */
async function startExport(tx: UnitOfWork, contactId: number, hasMail: boolean): Promise<StoredExport> {
  const contact = await getStoredContact(tx, contactId);
  tx.afterwards(async () => countReadUnits(unitsOfFile));
  tx.requireExists(Contacts, contact);
  const row = tx.create(Exports, {
    id: await tx.nextId(Exports),
    ...{ status: 'queued', createdAt: tx.now, completedAt: null, sizeBytes: null },
    ...{ contactId, madeOf: contactId, hasMail },
  });
  leaveSaga<Exporting>(tx, 'export', {
    exportId: row.id,
    contactId,
    place: null,
    isWhole: false,
    pieces: [],
    sizeBytes: 0,
  });
  return row;
}

async function shownFile(tx: UnitOfWork, row: StoredExport): Promise<v.InferInput<typeof ExportFile>> {
  if (row.status !== 'completed') return { ...row, url: null, expiresAt: null };
  const file = { fileName: `contact-${row.madeOf}.json`, contentType: 'application/json' };
  return { ...row, ...(await download(tx, exportKey(tx.tenant, row.id), file)) };
}
