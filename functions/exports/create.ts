import { requireScope } from '#lib/core/caller.ts';
import { CreateDataExport, DataExport } from '#lib/entities/data-export.ts';
import { scopeFor } from '#lib/exports/objects.ts';
import { createDataExport } from '#lib/exports/store.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Has all records of an object that fit written to a file. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/exports',
    summary: 'Export records as a file',
    scope: 'exports:run',
    hasNoTool: true,
    body: CreateDataExport,
    status: 202,
    response: DataExport,
    errors: ['bad_request', 'conflict'],
    permit: ({ caller, body }) => requireScope({ scope: scopeFor(body.object) }, caller),
    location: ({ id }) => `/v1/exports/${id}`,
  },
  ({ tx, caller, body }) => createDataExport(tx, caller, body),
);
