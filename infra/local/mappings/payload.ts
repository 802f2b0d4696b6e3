import { maxPayloadBytes } from '../functions/invocation.ts';

/** A record as it goes to a function, with its JSON. */
export interface Written<Of> {
  record: Of;
  json: string;
}

const [opening, closing] = ['{"Records":[', ']}'];
const frameBytes = opening.length + closing.length;

export const payloadOf = (records: readonly Written<unknown>[]) =>
  `${opening}${records.map(({ json }) => json).join()}${closing}`;

/** The records in their order, each batch no larger than its mapping says and than Lambda takes. */
export function* batchesOf<Of>(records: Iterable<Of>, batchSize: number): Generator<Written<Of>[]> {
  let batch: Written<Of>[] = [];
  let bytes = frameBytes;
  for (const record of records) {
    const json = JSON.stringify(record);
    const size = Buffer.byteLength(json) + 1;
    if (batch.length === batchSize || (batch.length > 0 && bytes + size > maxPayloadBytes)) {
      yield batch;
      batch = [];
      bytes = frameBytes;
    }
    batch.push({ record, json });
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
