import type { Row } from './rows.ts';

/** DynamoDB's limit of one item. */
const maxItemBytes = 400 * 1024;
/** Bytes of the item that keeps one piece of a long value, beside its keys. */
const maxPieceBytes = 300_000;
const maxPartitionKeyBytes = 2048;
const maxSortKeyBytes = 1024;
const maxDepth = 32;
const maxNumber = 9.999e125;

/** How DynamoDB counts a value or an item: names and texts in UTF-8, numbers by their digits, lists and maps by what they hold. */
export function bytesOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return 1 + Math.ceil(String(value).length / 2);
  if (value instanceof Uint8Array) return value.byteLength;
  if (typeof value !== 'object' || value === null) return 1;
  let bytes = 3;
  if (Array.isArray(value)) for (const one of value) bytes += 1 + bytesOf(one);
  else for (const name in value) bytes += 1 + Buffer.byteLength(name) + bytesOf(value[name as never]);
  return bytes;
}

const isTooLarge = (row: Row): boolean => bytesOf(row) > maxItemBytes;
const tooLarge = (row: Row) => `has ${bytesOf(row)} bytes, more than an item of the table may have`;

/** Returns why DynamoDB would refuse a row; undefined when it takes it. */
function unfitness(row: Row): string | undefined {
  // First, as it alone stops at a depth.
  const unfit = unfitValue(row, 0);
  if (unfit !== undefined) return unfit;
  if (isTooLarge(row)) return tooLarge(row);
  if (row.sk === '' || bytesOf(row.sk) > maxSortKeyBytes || bytesOf(row.pk) > maxPartitionKeyBytes)
    return 'has a key that the table does not take';
  return undefined;
}

/** A row or a transaction that DynamoDB would refuse. */
export class UnfitRow extends Error {}

/** Throws UnfitRow for a row that DynamoDB would refuse. */
export function requireFit(row: Row): void {
  const reason = unfitness(row);
  if (reason !== undefined) throw new UnfitRow(`a row ${reason}`);
}

/** Throws UnfitRow for a row with more bytes than an item of the table may have. */
export function requireSize(row: Row): void {
  if (isTooLarge(row)) throw new UnfitRow(`a row ${tooLarge(row)}`);
}

/** Bytes in pieces that each fit an item. */
export function cut(bytes: Buffer<ArrayBuffer>): [Buffer<ArrayBuffer>, ...Buffer<ArrayBuffer>[]] {
  const rest: Buffer<ArrayBuffer>[] = [];
  for (let start = maxPieceBytes; start < bytes.length; start += maxPieceBytes)
    rest.push(bytes.subarray(start, start + maxPieceBytes));
  return [bytes.subarray(0, maxPieceBytes), ...rest];
}

function unfitValue(value: unknown, depth: number): string | undefined {
  if (depth > maxDepth) return `is nested deeper than ${maxDepth}`;
  if (typeof value === 'string' && !value.isWellFormed()) return 'holds half a character';
  if (typeof value === 'number' && !(Math.abs(value) <= maxNumber)) return 'holds a number that is too large';
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    if (!name.isWellFormed()) return 'holds half a character';
    const found = unfitValue(inner, depth + 1);
    if (found) return found;
  }
  return undefined;
}
