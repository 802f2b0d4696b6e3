import type { Areas } from './type.ts';

/** A value in a text, already written in the member's language. */
type Value = string | number;

/** Exports and imports of files. */
export const sheets: Areas['sheets'] = {
  exportOf: {
    contacts: 'Kontakte exportieren',
    companies: 'Firmen exportieren',
    deals: 'Deals exportieren',
    tasks: 'Aufgaben exportieren',
  },
  asTheTableShows: 'Alle Einträge der Tabelle, mit ihrem Filter und ihrer Suche.',
  countedAsTheTableShows: (counted: Value) => `${counted}, wie in der Tabelle, mit ihrem Filter und ihrer Suche.`,
  columns: 'Spalten',
  shownColumns: (columns: Value) => `Die der Tabelle (${columns})`,
  allFields: 'Alle Felder',
  format: 'Dateiformat',
  csv: 'CSV, für Tabellenprogramme',
  ndjson: 'NDJSON, für Programme',
  parquet: 'Parquet, für Auswertungen',
  exporting: 'Die Datei wird geschrieben …',
  rowsSoFar: (rows: Value) => `Bisher ${rows} Einträge`,
  itGoesOnWithoutThisDialog: 'Ohne diesen Dialog läuft es weiter, aber nur hier gibt es die Datei.',
  theExportHasFailed: 'Der Export ist fehlgeschlagen: Versuche es noch einmal.',
  theFileIsThere: (rows: Value, size: Value) => `Die Datei ist da: ${rows} Einträge, ${size}.`,
  download: 'Herunterladen',
  theLinkWorksForFiveMinutes: 'Der Link gilt fünf Minuten.',
};
