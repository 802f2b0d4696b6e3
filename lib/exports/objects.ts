import { channels } from '#lib/core/channel.ts';
import {
  directions,
  type ExportObject,
  fieldObjectOf,
  messageStatuses,
  transactionSources,
  transactionStatuses,
  transactionTypes,
} from '#lib/core/choices.ts';
import { phoneSpellings } from '#lib/core/phone.ts';
import type { Scope } from '#lib/core/scopes.ts';
import { holdsWords, wordsOf } from '#lib/core/text.ts';
import { invoiceStatuses } from '#lib/entities/invoice.ts';
import { eventKindNames } from '#lib/events/names.ts';
import { boolean, choiceOf, type Kind, listOf, number, text, time } from '#lib/search/kinds.ts';
import { type Filtered, nounOf, searchedText } from '#lib/search/nouns.ts';
import { type Column, columns, isRecordObject } from '#lib/sheets/columns.ts';

/** The scope that lists the records of an object, and a further one without which some are left out. */
const scopes: Readonly<Record<ExportObject, readonly [Scope, Scope?]>> = {
  contacts: ['contacts:read'],
  companies: ['companies:read'],
  deals: ['deals:read'],
  tasks: ['tasks:read'],
  notes: ['contacts:read', 'companies:read'],
  messages: ['contacts:read'],
  transactions: ['finance:read'],
  invoices: ['finance:read'],
  events: ['webhooks:read'],
};

/** Returns the scope that a caller needs to export an object. */
export const scopeFor = (object: ExportObject): Scope => scopes[object][0];

/** Returns the scopes by which an export of an object is read for a caller. */
export function scopesFor(object: ExportObject, callers: readonly Scope[]): Scope[] {
  const [scope, more] = scopes[object];
  return more !== undefined && callers.includes(more) ? [scope, more] : [scope];
}

/** Words that values of a column are, for filters. */
const words: Readonly<Partial<Record<ExportObject, Readonly<Record<string, readonly string[]>>>>> = {
  messages: { channel: channels, direction: directions, status: messageStatuses },
  transactions: { type: transactionTypes, status: transactionStatuses, source: transactionSources },
  invoices: { status: invoiceStatuses },
  events: { event: eventKindNames },
};

function kindOf({ kind }: Column, choices: readonly string[] | undefined): Kind | undefined {
  if (choices !== undefined) return choiceOf(choices);
  if (kind === 'texts') return listOf(text);
  return { text, integer: number, number, boolean, time }[kind as string];
}

/** Returns whether a record has all words of a `q`, as a search finds it. */
export function wordsIn(object: ExportObject, q: string | undefined): (record: never) => boolean {
  if (q === undefined || !isRecordObject(object)) return () => true;
  const words = wordsOf(q, phoneSpellings);
  const noun = nounOf(fieldObjectOf[object]);
  return (record) => holdsWords(searchedText(noun, record), words);
}

/** Returns the fields by which records of an object are filtered: those of searches, or the columns whose values can be compared. */
export function filteredBy(object: ExportObject): Filtered {
  if (isRecordObject(object)) return nounOf(fieldObjectOf[object]);
  const fields = columns[object].flatMap((column) => {
    const kind = kindOf(column, words[object]?.[column.name]);
    return kind === undefined ? [] : [[column.name, { kind, of: column.of }]];
  });
  return { fields: Object.fromEntries(fields) };
}
