import type { Caller } from '#lib/core/caller.ts';
import { Problem } from '#lib/core/problem.ts';
import type { FieldObject, FieldType, StoredField } from '#lib/entities/field.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { fieldsOf, isVisible } from './fields.ts';

type Schema = Record<string, unknown>;

const id: Schema = { type: 'integer', minimum: 1 };
const money: Schema = {
  type: 'object',
  properties: { amount: { type: 'number' }, currency: { type: 'string', pattern: '^[A-Z]{3}$' } },
  required: ['amount', 'currency'],
  additionalProperties: false,
};

/** Returns the schema of a label. While there is none no text fits: an empty `enum` is refused by many readers. */
function choiceOf({ options }: StoredField): Schema {
  const labels = options.filter(({ isArchived }) => !isArchived).map(({ label }) => label);
  return { type: 'string', ...(labels.length > 0 ? { enum: labels } : { minLength: 1, maxLength: 0 }) };
}

const schemas: Record<FieldType, (field: StoredField) => Schema> = {
  text: () => ({ type: 'string', maxLength: 500 }),
  long_text: () => ({ type: 'string', maxLength: 10_000 }),
  number: () => ({ type: 'number', minimum: -1e15, maximum: 1e15 }),
  money: () => money,
  checkbox: () => ({ type: 'boolean' }),
  date: () => ({ type: 'string', format: 'date' }),
  datetime: () => ({ type: 'string', format: 'date-time' }),
  select: choiceOf,
  multi_select: (field) => ({
    type: 'array',
    items: choiceOf(field),
    maxItems: 50,
    uniqueItems: true,
  }),
  url: () => ({ type: 'string', format: 'uri', maxLength: 2048 }),
  email: () => ({ type: 'string', format: 'email', maxLength: 254 }),
  phone: () => ({ type: 'string', maxLength: 32 }),
  member: () => id,
  contact: () => id,
  company: () => id,
  deal: () => id,
};

/** A value may be null unless its field is required. */
function nullable({ type, enum: choices, ...schema }: Schema): Schema {
  return { ...schema, type: [type, 'null'], ...(choices ? { enum: [...(choices as unknown[]), null] } : {}) };
}

/** Returns a JSON Schema (2020-12) of the `fields` object of a kind of records. Raises 403 without the scope that reads them. */
export async function fieldSchema(tx: UnitOfWork, caller: Caller, object: FieldObject): Promise<Schema> {
  if (!isVisible(caller, object))
    throw new Problem('forbidden', `the key has no scope that reads a ${object}: use a key that has it`);
  const fields = (await fieldsOf(tx, object)).filter(({ isArchived }) => !isArchived);
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: `Custom fields of a ${object}`,
    type: 'object',
    properties: Object.fromEntries(
      fields.map((field) => {
        const schema = schemas[field.type](field);
        const { title, description, isRequired } = field;
        const described = { title, ...(description === null ? {} : { description }) };
        return [field.slug, { ...described, ...(isRequired ? schema : nullable(schema)) }];
      }),
    ),
    required: fields.filter(({ isRequired }) => isRequired).map(({ slug }) => slug),
    additionalProperties: false,
  };
}
