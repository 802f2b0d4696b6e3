import { readSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { fileWriter, ParquetWriter } from 'hyparquet-writer';
import type { StoredField } from '#lib/entities/field.ts';
import { type Column, schemaOf } from './copy-columns.ts';

/** Rows of a row group, fewer where their texts are long. */
const groupRows = 20_000;
const groupCharacters = 16_000_000;

/** Writes a copy to a local file, one row after another. */
export class CopyWriter {
  rows = 0;
  readonly #path: string;
  readonly #columns: readonly Column[];
  readonly #writer: ParquetWriter;
  #values: unknown[][];
  #characters = 0;

  constructor(path: string, columns: readonly Column[], fields: readonly StoredField[]) {
    this.#path = path;
    this.#columns = columns;
    const kvMetadata = [{ key: 'fields', value: JSON.stringify(fields) }];
    this.#writer = new ParquetWriter({ writer: fileWriter(path), schema: schemaOf(columns), kvMetadata });
    this.#values = columns.map(() => []);
  }

  /** Adds a row by its columns in their order. */
  add(values: readonly unknown[]): void {
    for (const [index, value] of values.entries()) {
      this.#values[index]?.push(value);
      if (typeof value === 'string') this.#characters += value.length;
    }
    this.rows += 1;
    if (this.#values[0]?.length === groupRows || this.#characters > groupCharacters) this.#writeGroup();
  }

  #writeGroup(): void {
    const rowGroupSize = this.#values[0]?.length ?? 0;
    if (rowGroupSize === 0) return;
    const columnData = this.#columns.map(({ name }, index) => ({ name, data: this.#values[index] as unknown[] }));
    // Its file takes bytes at once.
    void this.#writer.write({ columnData, rowGroupSize });
    this.#values = this.#columns.map(() => []);
    this.#characters = 0;
  }

  /** Completes the file. Returns its size, and that of its footer. */
  async finish(): Promise<{ sizeBytes: number; footerBytes: number }> {
    this.#writeGroup();
    await this.#writer.finish();
    const sizeBytes = statSync(this.#path).size;
    const file = await open(this.#path);
    try {
      const end = Buffer.alloc(8);
      readSync(file.fd, end, { position: sizeBytes - end.length });
      return { sizeBytes, footerBytes: end.readUInt32LE() + end.length };
    } finally {
      await file.close();
    }
  }
}
