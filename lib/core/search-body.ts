import * as v from 'valibot';
import { atMost, idInput, listInput, objectInput, queryText, reading, timeZone, trimmedOrNull } from './schema.ts';

/** Memory of a function that searches: a whole processor, and room for a row group of long texts. */
export const searchMemoryMb = 1769;

/** More than a condition or a group has. */
const maxMembers = 10;
/** More than that of three texts takes. */
const maxCursorCharacters = 8000;

/** A condition, or a group of them; lib/search/filter.ts reads it by the fields of the object. */
export const Filter = v.pipe(
  atMost(maxMembers, 'members', v.record(v.string(), v.unknown())),
  v.title('Filter'),
  v.examples([
    {
      and: [
        { field: 'createdAt', op: 'gte', value: 'today-30d' },
        { field: 'updatedAt', op: 'isSet' },
      ],
    },
  ]),
);

export const Sort = v.pipe(
  objectInput({
    field: v.pipe(v.string(), v.trim(), v.examples(['createdAt'])),
    direction: v.optional(v.picklist(['asc', 'desc'], 'must be one of asc, desc'), 'asc'),
    nulls: v.optional(v.picklist(['last', 'first'], 'must be one of last, first'), 'last'),
  }),
  v.title('Sort'),
);
export const maxSorts = 3;

const maxLimit = 100;
/** Clamped, as in lists. */
const limit = reading(v.pipe(v.number(), v.integer('must be an integer')), (value) =>
  Number.isInteger(value) ? Math.min(maxLimit, Math.max(1, value as number)) : value,
);

/** A member that null leaves out, such as the `nextCursor` of the last page. */
const orNull = <Schema extends v.GenericSchema>(schema: Schema) =>
  v.pipe(
    v.nullish(schema),
    v.transform((value) => value ?? undefined),
  );

/** Returns the body of a search whose answers have these members of `include`. */
export const searchBody = <Include extends v.ObjectEntries>(include: Include, title: string) =>
  v.pipe(
    v.object({
      q: reading(orNull(queryText()), trimmedOrNull),
      filter: orNull(Filter),
      sort: orNull(listInput(Sort, maxSorts, 'fields')),
      limit: v.optional(limit, 25),
      cursor: orNull(queryText(maxCursorCharacters)),
      archived: v.optional(v.union([v.boolean(), v.literal('all')], 'must be one of false, true, "all"'), false),
      timeZone: orNull(timeZone()),
      count: v.optional(v.boolean(), false),
      viewId: orNull(idInput()),
      ...include,
    }),
    v.title(title),
  );
export type SearchBody = v.InferOutput<ReturnType<typeof searchBody<Record<never, never>>>>;

/** The answer of a search. */
export const foundOf = <Row extends v.GenericSchema>(row: Row, title = `${v.getTitle(row)}Search`) =>
  v.pipe(
    v.object({
      items: v.array(row),
      nextCursor: v.nullable(v.string()),
      hasMore: v.boolean(),
      total: v.exactOptional(v.pipe(v.number(), v.integer())),
    }),
    v.title(`${title}Result`),
  );
