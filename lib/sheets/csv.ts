import { stringify } from 'csv-stringify/sync';

/** Returns rows of cells as lines of CSV (RFC 4180): any break of a line inside a cell is quoted, not only CRLF. */
export const csvLines = (rows: readonly (readonly string[])[], delimiter = ','): string =>
  stringify([...rows] as string[][], { delimiter, record_delimiter: '\r\n', quoted_match: /[\r\n]/ });
