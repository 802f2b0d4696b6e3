import type { Schema } from '../../../client/index.ts';
import { kindsOfTypes, operatorsOfKinds, searchFields } from '../../api/search-fields.ts';
import { channelNames } from '../../app/channels.ts';
import { worded } from '../../app/show.ts';
import { t } from '../../app/texts.ts';

export type SearchedObject = keyof typeof searchFields;
export type Kind = keyof typeof operatorsOfKinds;
export type Operator = (typeof operatorsOfKinds)[Kind][number] | 'isSet' | 'isNotSet';

/** A field that filters may ask. */
export interface FilterField {
  /** As the API has it: `stage`, `fields.tier`, `metadata.source`. */
  name: string;
  title: string;
  kind: Kind;
  /** Records have several values of it. */
  isList: boolean;
  /** What can be chosen, of a choice. */
  options: readonly { value: string; label: string; color?: string }[];
  /** Times of it are days for everybody, whatever the zone. */
  isDay: boolean;
}

interface Declared {
  kind: Kind;
  values?: readonly string[];
  isList?: boolean;
}

/** Fields that the API has as times and that mean a day. */
const days: ReadonlySet<string> = new Set(['expectedCloseAt']);

const channels: Readonly<Record<string, string>> = channelNames;

const builtIn = (name: string, { kind, values = [], isList = false }: Declared): FilterField => ({
  name,
  title: (t.filters.fields as Readonly<Record<string, string>>)[name] ?? worded(name),
  kind,
  isList,
  options: values.map((value) => ({ value, label: channels[value] ?? worded(value) })),
  isDay: kind === 'date' || days.has(name),
});

const custom = ({ slug, title, type, options }: Schema<'Field'>): FilterField => {
  const { kind, isList = false }: Declared = kindsOfTypes[type as keyof typeof kindsOfTypes];
  const choices = options.flatMap(({ label, color, isArchived }) =>
    isArchived ? [] : [{ value: label, label, color }],
  );
  return { name: `fields.${slug}`, title, kind, isList, options: choices, isDay: kind === 'date' };
};

/** Returns the fields of an object that filters may ask, by their titles. */
export const fieldsOf = (object: SearchedObject, definitions: readonly Schema<'Field'>[]): FilterField[] =>
  [
    ...Object.entries<Declared>(searchFields[object]).map(([name, declared]) => builtIn(name, declared)),
    ...definitions.filter(({ type }) => type in kindsOfTypes).map(custom),
  ].sort((one, other) => one.title.localeCompare(other.title));

const metadataKey = /^metadata\.([A-Za-z0-9_.-]{1,40})$/;

/** Returns the field of a name, which may be a key of the metadata; undefined for one that is gone. */
export function fieldNamed(fields: readonly FilterField[], name: string): FilterField | undefined {
  const [, key] = metadataKey.exec(name) ?? [];
  if (key === undefined) return fields.find((field) => field.name === name);
  return { name, title: t.filters.metadata(key), kind: 'text', isList: false, options: [], isDay: false };
}

/** Kinds of which a filter names some of a set: the operators are one or none of them. */
const sets: ReadonlySet<Kind> = new Set([
  'choice',
  'option',
  'tag',
  'member',
  'company',
  'contact',
  'deal',
  'pipeline',
  'column',
]);
export const isSet = ({ kind }: FilterField): boolean => sets.has(kind);

/** The operators that are offered, in their order: those of which people think first. */
const offered: Readonly<Partial<Record<Kind, readonly Operator[]>>> = {
  text: ['contains', 'eq', 'ne', 'startsWith', 'in', 'notIn'],
  boolean: ['eq'],
  number: ['gte', 'gt', 'lte', 'lt', 'eq', 'ne', 'between'],
  time: ['gte', 'lt', 'between'],
  date: ['gte', 'lt', 'between', 'eq', 'gt', 'lte'],
};
const alike: Readonly<Partial<Record<Kind, Kind>>> = { email: 'text', phone: 'text', address: 'text', money: 'number' };

/** Returns the operators of a field, and one more that a filter may have already. */
export function operatorsOf(field: FilterField, now?: Operator): Operator[] {
  const all = isSet(field) ? (['in', 'notIn'] as const) : (offered[alike[field.kind] ?? field.kind] ?? []);
  const taken: readonly Operator[] = operatorsOfKinds[field.kind];
  const fitting: Operator[] = [...all.filter((operator) => taken.includes(operator)), 'isSet', 'isNotSet'];
  return now === undefined || fitting.includes(now) ? fitting : [now, ...fitting];
}

/** Returns an operator in words that fit the field. */
export function operatorText(field: FilterField | undefined, operator: Operator, isSingle = false): string {
  const { plain, time, list } = t.filters.operators;
  const single = isSingle ? ({ in: 'eq', notIn: 'ne' } as const)[operator as 'in' | 'notIn'] : undefined;
  const named = single ?? operator;
  const ofTime =
    field && /^(time|date)$/.test(field.kind) ? (time as Partial<Record<Operator, string>>)[named] : undefined;
  const ofList = field?.isList ? (list as Partial<Record<Operator, string>>)[named] : undefined;
  return ofList ?? ofTime ?? plain[named];
}
