import type { MaybeOptionalInit } from 'openapi-fetch';
import type { Call, Init } from './call.ts';
import type { paths } from './schema.ts';

interface Page<Item> {
  items: Item[];
  nextCursor: number | string | null;
}

/** Body of a 200 answer to a GET. */
type Answer<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } };
}
  ? Body
  : never;

/** The paths of lists that are read on by `after`, or by `cursor` where the place is a text. */
export type ListPath = {
  [Path in keyof paths]: paths[Path] extends {
    get: { parameters: { query?: { after?: number } | { cursor?: string } } };
  }
    ? Answer<Path> extends Page<unknown>
      ? Path
      : never
    : never;
}[keyof paths];

export type Item<Path extends ListPath> = Answer<Path> extends Page<infer One> ? One : never;

export type List = <Path extends ListPath>(
  path: Path,
  ...init: Init<NonNullable<MaybeOptionalInit<paths[Path], 'get'>>>
) => AsyncGenerator<Item<Path>, void>;

export const itemsOf = (get: Call<'get'>): List =>
  async function* (path, ...[init]) {
    const { params, ...rest } = (init ?? {}) as { params?: { query?: object } };
    for (let next: Page<never>['nextCursor'] | undefined; next !== null; ) {
      const query = {
        ...params?.query,
        ...(next !== undefined && { [typeof next === 'string' ? 'cursor' : 'after']: next }),
      };
      const page = (await get(path as never, { ...rest, params: { ...params, query } } as never)) as Page<never>;
      yield* page.items;
      next = page.nextCursor;
    }
  };
