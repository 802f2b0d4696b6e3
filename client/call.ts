import type { FetchResponse, MaybeOptionalInit } from 'openapi-fetch';
import type { HttpMethod, MediaType, PathsWithMethod, RequiredKeysOf } from 'openapi-typescript-helpers';
import type { paths } from './schema.ts';

/** Optional where nothing in it must be given. */
export type Init<Given> = RequiredKeysOf<Given> extends never ? [Given?] : [Given];

/** A call: answers the body of a 2xx, and raises an ApiError for the rest. */
export type Call<Method extends HttpMethod> = <Path extends PathsWithMethod<paths, Method>>(
  path: Path,
  ...init: Init<MaybeOptionalInit<paths[Path], Method> & {}>
) => Promise<FetchResponse<paths[Path][Method] & {}, object, MediaType>['data'] & {}>;
