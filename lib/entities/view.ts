import * as v from 'valibot';
import { fieldObjects } from '#lib/core/choices.ts';
import { choice, id, line, listInput, openChoice, paging, queryChoices, storedChoice, time } from '#lib/core/schema.ts';
import { Filter, maxSorts, Sort } from '#lib/core/search-body.ts';
import { entity, type Item } from '#lib/table/entity.ts';

/** Limit of an environment. */
export const maxViews = 500;
const maxColumns = 100;
/** All views of an environment are read at once. */
export const maxFilterBytes = 65_536;

const shown = {
  id: id(),
  object: openChoice(fieldObjects),
  name: v.string(),
  filter: v.nullable(Filter),
  sort: v.array(Sort),
  columns: v.array(v.string()),
  isShared: v.boolean(),
  ownerUserId: v.nullable(id()),
  createdAt: time(),
  updatedAt: v.nullable(time()),
};

/** A saved search with the columns of its table (revision 1.4, section 33). */
export const View = v.pipe(v.object(shown), v.title('View'));

const name = () => line(80);
/** A list that null empties. */
const noneWithNull = <Items extends v.GenericSchema<unknown[]>>(list: Items) =>
  v.optional(
    v.pipe(
      v.nullable(list),
      v.transform((items): v.InferOutput<Items> => items ?? []),
    ),
  );
const rest = {
  filter: v.optional(v.nullable(Filter)),
  sort: noneWithNull(listInput(Sort, maxSorts, 'fields')),
  columns: noneWithNull(listInput(v.pipe(v.string(), v.trim(), v.examples(['name'])), maxColumns, 'columns')),
  isShared: v.optional(v.boolean()),
};
export const CreateView = v.pipe(
  v.object({ object: choice(fieldObjects), name: name(), ...rest }),
  v.title('CreateView'),
);
export const PatchView = v.pipe(v.object({ name: v.optional(name()), ...rest }), v.title('PatchView'));

/** Fields of a view that never change. */
export const fixedInView = { object: 'a new view: the object of a view is fixed', ownerUserId: 'a new view' };

export const ViewQuery = v.object({ ...paging, object: v.optional(queryChoices(fieldObjects)) });

/** A view. Who made it sees it, and everybody when it is shared. */
export const Views = entity({
  name: 'view',
  schema: v.object({ ...shown, object: storedChoice(fieldObjects), ownerKeyId: v.nullable(v.string()) }),
});
export type StoredView = Item<typeof Views>;
