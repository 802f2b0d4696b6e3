import { handlerOf, type RouteHandler } from './endpoint.ts';
import { countingFiles } from './files.ts';
import type { Reply } from './idempotency.ts';
import { identifying } from './identify.ts';
import type { Route } from './route.ts';

/** A request for a file. */
export interface AssetRequest {
  rawPath: string;
  /** By lower-case name. */
  headers: Record<string, string | undefined>;
}

/** A route that answers with files that anybody may have. What belongs to the API counts against the address, a page by itself. */
export const assetEndpoint = (
  route: Route & { scope: 'public' },
  work: (request: AssetRequest) => Reply,
): RouteHandler =>
  handlerOf(
    route,
    [route.isUndocumented ? countingFiles() : identifying(() => 'public')],
    async ({ rawPath }, { headers }) => work({ rawPath, headers }),
  );

/** A route whose page is made by work of its own: its request counts as that of a file does. */
export const pageEndpoint = (
  route: Route & { scope: 'public'; isUndocumented: true },
  work: (path: Record<string, string | undefined>) => Promise<Reply>,
): RouteHandler => handlerOf(route, [countingFiles()], async ({ pathParameters }) => work({ ...pathParameters }));
