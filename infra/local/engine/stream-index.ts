import { DatabaseSync } from 'node:sqlite';

/**
 * The engine numbers every stream record one above the highest and looks that up without an index: with 10 000 records a
 * write took 8 times as long, with 50 000 20 times (measured on 1.2.1). With this index its queries stay as they are.
 */
export function indexStreamRecords(databasePath: string): void {
  const database = new DatabaseSync(databasePath);
  try {
    database.exec('PRAGMA busy_timeout = 5000');
    database.exec(
      'CREATE INDEX IF NOT EXISTS stream_order ON _stream_records (table_name, CAST(sequence_number AS INTEGER))',
    );
  } finally {
    database.close();
  }
}
