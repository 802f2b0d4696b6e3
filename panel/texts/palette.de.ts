import type { Areas } from './type.ts';

/** A value in a text, already written in the member's language. */
type Value = string | number;

export const palette: Areas['palette'] = {
  search: 'Suche',
  searchFor: 'Personen, Firmen, Deals, Seiten und Aktionen suchen',
  results: 'Ergebnisse',
  recent: 'Zuletzt',
  goTo: 'Gehe zu',
  goToPage: (title: Value) => `Gehe zu ${title}`,
  actions: 'Aktionen',
  records: 'Einträge',
  nothingFits: 'Nichts gefunden. Versuche weniger oder andere Wörter.',
  searching: 'Sucht …',
  newTab: '{keys} öffnet einen neuen Tab',
  switchTo: (name: Value) => `Zu ${name} wechseln`,
  newEndpoint: 'Neuer Endpunkt',
  newKey: 'Neuer API-Schlüssel',
  of: { contact: 'Kontakt', company: 'Firma', deal: 'Deal', task: 'Aufgabe', thread: 'Mail', invoice: 'Rechnung' },
};
