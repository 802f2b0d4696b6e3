import * as v from 'valibot';
import { atMost } from './schema.ts';

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
