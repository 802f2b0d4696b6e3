import * as v from 'valibot';
import { CurrencyTotal, choice, count, id, listOf, paging, time } from '#lib/core/schema.ts';
import { entity } from '#lib/table/entity.ts';

const kinds = ['deal', 'contact'] as const;

const stored = {
  id: id(),
  name: v.string(),
  kind: v.picklist(kinds),
  isDefault: v.boolean(),
  createdAt: time(),
};

const shown = { ...stored, columnCount: count() };

/** A stage with its sums (contract section 12). */
const Column = v.pipe(
  v.object({
    id: id(),
    key: v.pipe(v.string(), v.examples(['lead'])),
    name: v.string(),
    position: count(),
    color: v.string(),
    isTerminal: v.boolean(),
    isApiSettable: v.boolean(),
    defaultProbability: v.nullable(count()),
    count: count(),
    totals: v.array(CurrencyTotal),
  }),
  v.title('Column'),
);
export type Column = v.InferOutput<typeof Column>;

/** A pipeline as the list shows it. */
export const Pipeline = v.pipe(v.object(shown), v.title('Pipeline'));
export const PipelineWithColumns = v.pipe(
  v.object({ ...shown, columns: v.array(Column) }),
  v.title('PipelineWithColumns'),
);
export const Columns = listOf(Column);

export const PipelineQuery = v.object({ ...paging, kind: v.optional(choice(kinds)) });

/** The columns that deals or contacts go through. They derive from its kind. */
export const Pipelines = entity({ name: 'pipeline', schema: v.object(stored) });
