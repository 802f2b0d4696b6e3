import type { FetchResponse, MaybeOptionalInit } from 'openapi-fetch';
import type { HttpMethod, MediaType, PathsWithMethod, RequiredKeysOf } from 'openapi-typescript-helpers';
import type { paths } from './schema.ts';

/** Optional where nothing in it must be given. */
export type Init<Given> = RequiredKeysOf<Given> extends never ? [Given?] : [Given];

/** Paths as openapi-typescript writes them. */
type PathItems<Paths> = { [Path in keyof Paths]: { [Method in HttpMethod]?: object } };

/** A call: answers the body of a 2xx, and raises an ApiError for the rest. */
export type Call<Method extends HttpMethod, Paths extends PathItems<Paths> = paths> = <
  Path extends PathsWithMethod<Paths, Method>,
>(
  path: Path,
  ...init: Init<MaybeOptionalInit<Paths[Path], Method> & {}>
) => Promise<FetchResponse<Paths[Path][Method] & {}, object, MediaType>['data'] & {}>;
