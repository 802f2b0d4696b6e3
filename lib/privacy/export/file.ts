import { randomText } from '#lib/core/random.ts';
import { Contacts, type StoredContact } from '#lib/entities/contact.ts';
import { Exports, type StoredExport } from '#lib/entities/export.ts';
import { readFile, removeFiles, removeFolder, storeBytes } from '#lib/files/bucket.ts';
import { exportFolder, exportKey } from '#lib/files/keys.ts';
import { storeStream } from '#lib/files/spool.ts';
import type { SagaKind } from '#lib/table/saga.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { nextText, type Place } from './document.ts';

/** How much of an export is written. */
export interface Exporting extends Record<string, unknown> {
  exportId: number;
  contactId: number;
  /** Where the document goes on; null at its beginning. */
  place: Place | null;
  /** All of it is in pieces. */
  isWhole: boolean;
  /** The names of the objects that hold the document so far, in their order. */
  pieces: string[];
  sizeBytes: number;
}

/** A piece ends with the page in which it becomes so large, or with so many pages. */
const pieceBytes = 4_000_000;
const pagesPerPiece = 50;

/** The pieces are made one object within one call, by way of a local file, of which the disk of their worker (`diskMb`) holds some. */
const maxFileBytes = 400_000_000;

/** Writes the data of a contact to a file: in pieces, which are then made one. Ends where the contact is gone. */
export const exportingIn = (bytesPerPiece: number): SagaKind<Exporting, 'export'> => ({
  name: 'export',
  async step(tx, state) {
    const [contact, row] = await Promise.all([
      tx.find(Contacts, { id: state.contactId }),
      tx.find(Exports, { id: state.exportId }),
    ]);
    if (!contact || !row) {
      // Erased, or merged into another one.
      await removeFolder(exportFolder(tx.tenant, state.exportId));
      if (row) tx.delete(Exports, row);
      return undefined;
    }
    tx.requireExists(Contacts, contact);
    return state.isWhole ? join(tx, state, row) : writePiece(tx, state, contact, row, bytesPerPiece);
  },
});

export const exporting = exportingIn(pieceBytes);

async function writePiece(
  tx: UnitOfWork,
  state: Exporting,
  contact: StoredContact,
  row: StoredExport,
  bytesPerPiece: number,
): Promise<Exporting | undefined> {
  const subject = { contact, hasMail: row.hasMail, exportedAt: row.createdAt };
  const texts: string[] = [];
  let bytes = 0;
  let place = state.place ?? undefined;
  for (let pages = 0; pages < pagesPerPiece && bytes < bytesPerPiece; pages += 1) {
    // One for each page, which is then forgotten.
    const { text, next } = await nextText(UnitOfWork.forAnswer(tx.tenant, tx.actor), subject, place);
    texts.push(text);
    bytes += Buffer.byteLength(text);
    place = next;
    if (place === undefined) break;
  }
  const sizeBytes = state.sizeBytes + bytes;
  if (sizeBytes > maxFileBytes) {
    await removeFolder(exportFolder(tx.tenant, row.id));
    tx.update(Exports, { ...row, status: 'failed', completedAt: tx.now });
    return undefined;
  }
  // Two who are at the same piece may have read different things: only the one counts that the state names.
  const piece = `${exportFolder(tx.tenant, row.id)}${randomText(16)}`;
  await storeBytes(piece, Buffer.from(texts.join('')));
  tx.otherwise(() => removeFiles([piece]));
  if (row.status === 'queued') tx.update(Exports, { ...row, status: 'running' });
  return { ...state, place: place ?? null, isWhole: place === undefined, sizeBytes, pieces: [...state.pieces, piece] };
}

async function join(tx: UnitOfWork, { pieces, sizeBytes }: Exporting, row: StoredExport): Promise<undefined> {
  const folder = exportFolder(tx.tenant, row.id);
  // Another one may have been faster, and the contact be erased meanwhile.
  tx.otherwise(async () => {
    const isThere = await new UnitOfWork(tx.tenant, tx.actor).find(Exports, { id: row.id });
    if (!isThere) await removeFolder(folder);
  });
  await storeStream(exportKey(tx.tenant, row.id), bytesOf(pieces), sizeBytes);
  tx.update(Exports, { ...row, status: 'completed', completedAt: tx.now, sizeBytes });
  tx.afterwards(() => removeFiles(pieces));
}

async function* bytesOf(keys: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const key of keys) yield* await readFile(key);
}
