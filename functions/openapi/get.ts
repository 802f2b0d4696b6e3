import * as v from 'valibot';
import { publicEndpoint } from '#lib/http/endpoint.ts';
import document from '#openapi' with { type: 'json' };

/** This API's own description. */
export const handler = publicEndpoint(
  {
    method: 'GET',
    path: '/openapi.json',
    summary: 'The OpenAPI 3.1 document',
    scope: 'public',
    status: 200,
    response: v.pipe(v.looseObject({ openapi: v.string() }), v.title('OpenApiDocument')),
    errors: [],
  },
  async () => document as { openapi: string },
);
