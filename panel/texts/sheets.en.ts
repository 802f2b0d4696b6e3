/** A value in a text, already written in the member's language. */
type Value = string | number;

/** Exports and imports of files. */
export const sheets = {
  exportOf: {
    contacts: 'Export contacts',
    companies: 'Export companies',
    deals: 'Export deals',
    tasks: 'Export tasks',
  },
  asTheTableShows: 'All records that the table shows, with its filter and search.',
  countedAsTheTableShows: (counted: Value) => `${counted}, as the table shows them with its filter and search.`,
  columns: 'Columns',
  shownColumns: (columns: Value) => `Those of the table (${columns})`,
  allFields: 'All fields',
  format: 'Format',
  csv: 'CSV, for spreadsheets',
  ndjson: 'NDJSON, for programs',
  parquet: 'Parquet, for analytics',
  exporting: 'The file is being written …',
  rowsSoFar: (rows: Value) => `${rows} records so far`,
  itGoesOnWithoutThisDialog: 'It goes on if you close this dialog, but its file is handed out only here.',
  theExportHasFailed: 'The export has failed: try again.',
  theFileIsThere: (rows: Value, size: Value) => `The file is there: ${rows} records, ${size}.`,
  download: 'Download',
  theLinkWorksForFiveMinutes: 'The link works for five minutes.',
};
