import { matching } from './conditions.ts';
import type { Contains, Entity, Item, Where } from './entity.ts';
import type { Listing } from './list.ts';

/** Parts of a listing that one filter of a query decides. */
type Criteria<E extends Entity> = Pick<
  Listing<E>,
  'ids' | 'archived' | 'within' | 'above' | 'where' | 'contains' | 'matches' | 'columns' | 'words' | 'createdSince'
>;

interface Paging {
  after?: number | undefined;
  limit: number;
}

/** The filters that are called as an index is and take what it is asked by. */
type ByIndex<E extends Entity, Query> = {
  [Name in keyof Query & keyof Where<E>]: Query[Name] extends Where<E>[Name] ? Name : never;
}[keyof Query & keyof Where<E>];

/** The filters that are called as a field is and take what it holds. An id that a row names is for an index, which has another name. */
type ByField<E extends Entity, Query> = {
  [Name in keyof Query & keyof Item<E>]: Exclude<Query[Name], undefined> extends Item<E>[Name] & Primitive
    ? Exclude<Name, `${string}Id`>
    : never;
}[keyof Query & keyof Item<E>];
type Primitive = string | number | boolean;

/** Filters that need no answer of their own. */
type Named<E extends Entity, Query> = ByIndex<E, Query> | ByField<E, Query>;

type Answers<E extends Entity, Query> = {
  readonly [Name in Exclude<keyof Query, keyof Paging | Named<E, Query>>]: (
    value: Exclude<Query[Name], undefined>,
  ) => Criteria<E>;
} & {
  readonly [Name in Named<E, Query>]?: (value: Exclude<Query[Name], undefined>) => Criteria<E>;
};

/**
 * A query as the listing that answers it. Each filter says what it asks, but for those that are called as an index of the entity is, or
 * else as a field, which is compared in every row: any other that is declared and not answered does not compile.
 */
export function listingFrom<E extends Entity, Query extends Paging>(
  of: E,
  query: Query,
  answers: Answers<E, Query>,
): Listing<E> {
  const { after, limit, ...filters } = query;
  const byName = answers as Readonly<Record<string, ((value: unknown) => Criteria<E>) | undefined>>;
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  const all = given.map(([name, value]) => byName[name]?.(value) ?? byItsName(of, name, value));
  return {
    ...Object.assign({}, ...all),
    after,
    limit,
    where: Object.assign({}, ...all.map(({ where }) => where)) as Where<E>,
    contains: Object.assign({}, ...all.map(({ contains }) => contains)) as Contains<E>,
    ...withAll(all),
  };
}

function byItsName<E extends Entity>({ indexes = {} }: Entity, name: string, value: unknown): Criteria<E> {
  const index = Object.hasOwn(indexes, name) ? indexes[name] : undefined;
  const isAsked = index !== undefined && !('order' in index || 'until' in index);
  if (isAsked) return { where: { [name]: value } as Where<E> };
  return { matches: (row) => (row as Readonly<Record<string, unknown>>)[name] === value, columns: [name] };
}

const withAll = <E extends Entity>(all: readonly Criteria<E>[]) => {
  const conditions = all.filter(({ matches }) => matches !== undefined);
  const isCopied = conditions.every(({ columns }) => columns !== undefined);
  return {
    ...matching<Item<E>>(...conditions.map(({ matches }) => matches ?? (false as const))),
    columns: isCopied ? conditions.flatMap(({ columns = [] }) => columns) : undefined,
  };
};
