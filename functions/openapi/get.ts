import * as v from 'valibot';
import { assetEndpoint } from '#lib/http/asset-endpoint.ts';
import { assetsIn } from '#lib/http/assets.ts';

/** This API's own description, which lies beside the function. */
const document = assetsIn(new URL('./document/', import.meta.url));

export const handler = assetEndpoint(
  {
    method: 'GET',
    path: '/openapi.json',
    summary: 'The OpenAPI 3.1 document',
    scope: 'public',
    status: 200,
    response: v.pipe(v.looseObject({ openapi: v.string() }), v.title('OpenApiDocument')),
    errors: [],
  },
  ({ headers }) => document('openapi.json', headers),
);
