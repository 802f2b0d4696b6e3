import * as v from 'valibot';
import { assetsIn } from '#lib/http/assets.ts';
import { assetEndpoint } from '#lib/http/endpoint.ts';

/** The panel's page, which lies beside the function. */
const assets = assetsIn(new URL('./panel/', import.meta.url));

export const handler = assetEndpoint(
  {
    method: 'GET',
    path: '/panel/{path+}',
    alsoAt: ['/panel'],
    summary: "The panel's page",
    scope: 'public',
    isUndocumented: true,
    status: 200,
    response: v.never(),
    errors: ['not_found'],
  },
  ({ rawPath, headers }) =>
    rawPath === '/panel'
      ? { status: 308, headers: { Location: '/panel/' }, body: '' }
      : assets(rawPath.slice('/panel/'.length), headers),
);
