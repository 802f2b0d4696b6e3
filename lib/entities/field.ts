import * as v from 'valibot';
import { fieldObjects, fieldTypes } from '#lib/core/choices.ts';
import {
  atMost,
  choice,
  id,
  idInput,
  integer,
  line,
  listInput,
  nullableText,
  objectInput,
  openChoice,
  paging,
  pattern,
  queryChoices,
  storedChoice,
  time,
} from '#lib/core/schema.ts';
import { entity, type Item, type Link, linksTo } from '#lib/table/entity.ts';
import { color } from './tag.ts';

/** More than a workspace can have of one object. */
const maxValues = 200;

const record = v.record(v.string(), v.unknown());

/** Values of custom fields by slug, as callers give them: lib/workspaces/value-changes.ts reads them by their definitions. */
export const fieldsInput = () =>
  atMost(maxValues, 'fields', {
    ...record,
    // `v.record` leaves out names such as `constructor`, which are slugs as good as any.
    '~run'(dataset: { value: unknown }, config: never) {
      const { value } = dataset;
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        return record['~run']({ value: Array.isArray(value) ? 'an array' : value } as never, config);
      return { typed: true, value: Object.assign(Object.create(null), value) };
    },
  } as unknown as v.GenericSchema<Record<string, unknown>>);

/** Values of custom fields by slug in an answer. */
export const shownFields = () =>
  ({
    ...record,
    '~run': (dataset: { value: unknown }) => ({ typed: true, value: dataset.value }),
  }) as unknown as typeof record;

export const FieldValues = v.pipe(v.object({ fields: shownFields() }), v.title('FieldValues'));
export const PatchFieldValues = v.pipe(v.object({ fields: fieldsInput() }), v.title('PatchFieldValues'));

export type FieldObject = (typeof fieldObjects)[number];
export type FieldType = (typeof fieldTypes)[number];

/** Whether values are records that may be merged or erased: rows hold them as links, which follow. */
export const isLinked = ({ type }: { type: FieldType }): boolean => type === 'contact' || type === 'company';
export const hasOptions = (type: FieldType): boolean => type === 'select' || type === 'multi_select';
export const canBeUnique = (type: FieldType): boolean => ['text', 'number', 'email', 'phone', 'url'].includes(type);

const maxOptions = 200;
/** Limit of options of a field with those that are archived: one row of the table holds them. */
export const maxOptionsInAll = 500;
const title = () => line(80);
const label = () => line(80);
const description = () => nullableText(500);

/** A choice of a field (revision 1.4, section 28). */
const FieldOption = v.pipe(
  v.object({ id: id(), label: v.string(), color: v.string(), isArchived: v.boolean() }),
  v.title('FieldOption'),
);
export type StoredOption = v.InferOutput<typeof FieldOption>;

const stored = {
  id: id(),
  object: storedChoice(fieldObjects),
  slug: v.string(),
  title: v.string(),
  description: v.nullable(v.string()),
  type: storedChoice(fieldTypes),
  options: v.array(FieldOption),
  isRequired: v.boolean(),
  isUnique: v.boolean(),
  isArchived: v.boolean(),
  createdAt: time(),
  updatedAt: v.nullable(time()),
};

/** A custom field (revision 1.4, section 28). */
export const Field = v.pipe(
  v.object({
    ...stored,
    object: openChoice(fieldObjects),
    type: openChoice(fieldTypes),
    position: integer(1, 2 ** 31 - 1),
  }),
  v.title('Field'),
);

/** JSON Schema (2020-12) of the `fields` object. */
export const FieldSchema = v.pipe(
  v.record(v.string(), v.unknown()),
  v.title('FieldSchema'),
  v.examples([
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'Custom fields of a contact',
      type: 'object',
      properties: { source: { title: 'Source', type: ['string', 'null'], enum: ['exhibition', 'referral', null] } },
      required: [],
      additionalProperties: false,
    },
  ]),
);

const newOption = () =>
  v.pipe(objectInput({ label: label(), color: v.optional(color()) }), v.title('CreateFieldOption'));
const option = () =>
  v.pipe(
    objectInput({ id: v.optional(idInput()), label: label(), color: v.optional(color()) }),
    v.title('PatchFieldOption'),
  );

export const CreateField = v.pipe(
  v.object({
    object: choice(fieldObjects),
    slug: pattern(/^[a-z][a-z0-9_]{0,39}$/, 40, '1 to 40 of a-z, 0-9, and _, beginning with a letter'),
    title: title(),
    description: v.optional(description(), null),
    type: choice(fieldTypes),
    options: v.optional(listInput(newOption(), maxOptions, 'options')),
    isRequired: v.optional(v.boolean(), false),
    isUnique: v.optional(v.boolean(), false),
    position: v.optional(integer(1, 1_000_000)),
  }),
  v.title('CreateField'),
);
export type CreateField = v.InferOutput<typeof CreateField>;

export const PatchField = v.pipe(
  v.object({
    title: v.optional(title()),
    description: v.optional(description()),
    isRequired: v.optional(v.boolean()),
    position: v.optional(integer(1, 1_000_000)),
    options: v.optional(listInput(option(), maxOptions, 'options')),
  }),
  v.title('PatchField'),
);
export type PatchField = v.InferOutput<typeof PatchField>;

/** Fields of a definition that never change. */
export const fixedInField = {
  id: 'a new field',
  object: 'a new field: the object of a field is fixed',
  slug: 'a new field: the slug of a field is fixed',
  type: 'a new field: the type of a field is fixed',
  isUnique: 'a new field: whether values are unique is fixed',
  isArchived: 'POST /v1/fields/{id}/archive or POST /v1/fields/{id}/restore',
};

export const FieldQuery = v.object({
  ...paging,
  object: v.optional(queryChoices(fieldObjects)),
  archived: v.optional(choice(['false', 'true', 'all']), 'false'),
});
export const FieldSchemaQuery = v.object({
  object: choice(fieldObjects),
});

/** A definition of a field. Its position follows from the order of its object. */
export const Fields = entity({ name: 'field', schema: v.object(stored) });
export type StoredField = Item<typeof Fields>;

/** The fields of an object in their order, with their slugs and what a creation asks of them: changes of definitions meet here. */
export const FieldOrders = entity({
  name: 'field-order',
  schema: v.object({
    object: storedChoice(fieldObjects),
    fields: v.array(v.object({ id: id(), slug: v.string(), isArchived: v.boolean(), isRequired: v.boolean() })),
  }),
  sortKey: ({ object }) => object,
});

/** Limit of fields of an object that are not archived. */
export const maxFields = 100;
/** Limit of fields of an object with the archived ones, which keep their values. */
export const maxFieldsInAll = 300;
/** Limit of those that are unique, and of those with contacts or companies as values: each takes two entries of a transaction. */
export const maxUniqueFields = 20;
export const maxLinkFields = 20;
/** Limit of options that the fields of an object have in all: a page of fields, and their schema, fit an answer. */
export const maxOptionsOfObject = 2000;

/** Values of the custom fields of a record, as its row holds them (lib/workspaces/fields.ts). */
export const customValues = {
  /** By the id of the field: options as their ids, and no links. */
  values: v.optional(v.record(v.string(), v.unknown())),
  /** Values that are records which may be merged or erased. */
  links: v.optional(v.array(v.object({ fieldId: id(), to: v.string(), id: id() }))),
  /** Values of unique fields: `12=` and a hash. */
  uniqueValues: v.optional(v.array(v.string())),
};
export interface CustomValues {
  values?: Record<string, unknown> | undefined;
  links?: Link[] | undefined;
  uniqueValues?: string[] | undefined;
}

/** The references of entities with `customValues`. */
export const linkReferences = [
  { to: 'contact', field: 'links', holds: linksTo('contact') },
  { to: 'company', field: 'links', holds: linksTo('company') },
] as const;

/** The indexes of entities with `customValues`. */
export const valueIndexes = {
  links: { of: ({ links = [] }: CustomValues) => links.map(({ to, id }) => ({ to, id })), at: 'links/{to}={id}' },
  uniqueValue: { of: ({ uniqueValues = [] }: CustomValues) => uniqueValues, isUnique: true },
} as const;
