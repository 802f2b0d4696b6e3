import { createCipheriv } from 'node:crypto';

/*
 * AES-256 with infinite garble extension, which Node has not: each block is mixed with the one before, as it goes in and as it comes
 * out. The IV is the block before the first as it came out, then as it went in.
 */
const blockWords = 4;

/** Bytes as words whose first byte is the lowest. */
const view = ({ buffer, byteOffset, byteLength }: Uint8Array) => new DataView(buffer, byteOffset, byteLength);
const newView = (words: number) => new DataView(new ArrayBuffer(4 * words));
const at = (words: DataView, index: number) => words.getInt32(4 * index, true);
const put = (words: DataView, index: number, word: number) => words.setInt32(4 * index, word, true);
const bytes = ({ buffer }: DataView) => new Uint8Array(buffer as ArrayBuffer);

/** As CBC does it, of blocks that are mixed with the one before the last: by Node, all at once. */
export function encryptIge(data: Uint8Array, key: Uint8Array, iv: Uint8Array): Uint8Array {
  const [plain, before, length] = [view(data), view(iv), data.length / 4];
  /** What went in before a word of a block; before all blocks the IV. */
  const earlier = (index: number) => (index < 0 ? at(before, 2 * blockWords + index) : at(plain, index));
  const chained = newView(length);
  for (let index = 0; index < length; index += 1)
    put(chained, index, at(plain, index) ^ (index < blockWords ? 0 : earlier(index - 2 * blockWords)));
  const cipher = createCipheriv('aes-256-cbc', key, iv.subarray(0, 4 * blockWords)).setAutoPadding(false);
  const encrypted = cipher.update(bytes(chained));
  const words = view(encrypted);
  for (let index = 0; index < length; index += 1) put(words, index, at(words, index) ^ earlier(index - blockWords));
  return encrypted;
}

/**
 * No block can be decrypted before the one before it, and Node called for each of them takes a second for a few megabytes: so it is
 * done here, by tables.
 */
export function decryptIge(data: Uint8Array, key: Uint8Array, iv: Uint8Array): Uint8Array {
  const [encrypted, before, keys, length] = [view(data), view(iv), inverseKeys(view(key)), data.length / 4];
  const [plain, block] = [newView(length), newView(blockWords)];
  for (let first = 0; first < length; first += blockWords) {
    for (let word = 0; word < blockWords; word += 1) {
      const out = first === 0 ? at(before, blockWords + word) : at(plain, first + word - blockWords);
      put(block, word, at(encrypted, first + word) ^ out);
    }
    decryptBlock(keys, block);
    for (let word = 0; word < blockWords; word += 1) {
      const went = first === 0 ? at(before, word) : at(encrypted, first + word - blockWords);
      put(plain, first + word, at(block, word) ^ went);
    }
  }
  return bytes(plain);
}

// The equivalent inverse cipher of FIPS 197, section 5.3.5, and its tables.

const doubled = (byte: number) => (byte << 1) ^ (byte & 0x80 ? 0x11b : 0);
const rotated = (byte: number, bits: number) => (byte << bits) | (byte >> (8 - bits));

function times(byte: number, factor: number): number {
  let [sum, power] = [0, byte];
  for (let left = factor; left > 0; left >>= 1) {
    if (left & 1) sum ^= power;
    power = doubled(power);
  }
  return sum;
}

const sbox = new DataView(new ArrayBuffer(256));
const inverseSbox = new DataView(new ArrayBuffer(256));
/** By the row of a byte, what it becomes in a column by the inverse of SubBytes and MixColumns. */
const [row0, row1, row2, row3] = [newView(256), newView(256), newView(256), newView(256)] as const;

function fillTables(): void {
  // The powers of 3 are all bytes but 0; those of its inverse are theirs.
  for (let [power, inverted, count] = [1, 1, 0]; count < 256; count += 1) {
    const [byte, of] = count === 255 ? [0, 0] : [power, inverted];
    const substitute = ([1, 2, 3, 4].reduce((sum, bits) => sum ^ rotated(of, bits), of) & 255) ^ 0x63;
    sbox.setUint8(byte, substitute);
    inverseSbox.setUint8(substitute, byte);
    const column = [14, 9, 13, 11].reduce((sum, factor, index) => sum | (times(byte, factor) << (8 * index)), 0);
    for (const [row, table] of [row0, row1, row2, row3].entries())
      put(table, substitute, row === 0 ? column : (column << (8 * row)) | (column >>> (32 - 8 * row)));
    power = times(power, 3);
    inverted = times(inverted, 0xf6);
  }
}
fillTables();

const lookUp = (table: DataView, word: number, byte: number) => table.getUint8((word >>> (8 * byte)) & 255);
const inRow = (table: DataView, word: number, byte: number) => at(table, (word >>> (8 * byte)) & 255);

/** The bytes of a column, each from another word, by a table. */
const substituted = (table: DataView, a: number, b: number, c: number, d: number) =>
  lookUp(table, a, 0) | (lookUp(table, b, 1) << 8) | (lookUp(table, c, 2) << 16) | (lookUp(table, d, 3) << 24);
const mixed = (a: number, b: number, c: number, d: number) =>
  inRow(row0, a, 0) ^ inRow(row1, b, 1) ^ inRow(row2, c, 2) ^ inRow(row3, d, 3);

const [rounds, keyWords] = [14, 8];

/** The keys of the rounds, the last one first. */
function inverseKeys(key: DataView): DataView {
  const length = blockWords * (rounds + 1);
  const keys = newView(length);
  for (let [index, constant] = [0, 1]; index < length; index += 1) {
    const word = index === 0 ? 0 : at(keys, index - 1);
    if (index < keyWords) put(keys, index, at(key, index));
    else if (index % keyWords === 0) {
      const turned = (word >>> 8) | (word << 24);
      put(keys, index, at(keys, index - keyWords) ^ substituted(sbox, turned, turned, turned, turned) ^ constant);
      constant = doubled(constant);
    } else {
      const isInMiddle = index % keyWords === blockWords;
      put(keys, index, at(keys, index - keyWords) ^ (isInMiddle ? substituted(sbox, word, word, word, word) : word));
    }
  }
  const inverse = newView(length);
  for (let index = 0; index < length; index += 1) {
    const round = Math.floor(index / blockWords);
    const word = at(keys, blockWords * (rounds - round) + (index % blockWords));
    const again = substituted(sbox, word, word, word, word);
    put(inverse, index, round === 0 || round === rounds ? word : mixed(again, again, again, again));
  }
  return inverse;
}

function decryptBlock(keys: DataView, block: DataView): void {
  let a = at(block, 0) ^ at(keys, 0);
  let b = at(block, 1) ^ at(keys, 1);
  let c = at(block, 2) ^ at(keys, 2);
  let d = at(block, 3) ^ at(keys, 3);
  let key = blockWords;
  for (; key < blockWords * rounds; key += blockWords) {
    const e = mixed(a, d, c, b) ^ at(keys, key);
    const f = mixed(b, a, d, c) ^ at(keys, key + 1);
    const g = mixed(c, b, a, d) ^ at(keys, key + 2);
    d = mixed(d, c, b, a) ^ at(keys, key + 3);
    a = e;
    b = f;
    c = g;
  }
  put(block, 0, substituted(inverseSbox, a, d, c, b) ^ at(keys, key));
  put(block, 1, substituted(inverseSbox, b, a, d, c) ^ at(keys, key + 1));
  put(block, 2, substituted(inverseSbox, c, b, a, d) ^ at(keys, key + 2));
  put(block, 3, substituted(inverseSbox, d, c, b, a) ^ at(keys, key + 3));
}
