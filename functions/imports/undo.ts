import { Nothing } from '#lib/core/schema.ts';
import { Import } from '#lib/entities/import.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { permitUndo } from '#lib/imports/permit.ts';
import { requireImport, undoImport } from '#lib/imports/store.ts';

/** Archives what an import created, and gives back the old values of what it changed. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/imports/{id}/undo',
    summary: 'Undo an import',
    scope: 'imports:run',
    hasNoTool: true,
    permit: ({ tx, caller, params }) => permitUndo(tx, caller, params.id),
    body: Nothing,
    status: 202,
    location: ({ id }) => `/v1/imports/${id}`,
    response: Import,
    errors: ['bad_request', 'not_found', 'conflict'],
    exists: (tx, { id }) => requireImport(tx, id),
    needs: ['read-export-files'],
    heavyDependency: 'the client of S3, which signs the URLs of files',
  },
  ({ tx, caller, params }) => undoImport(tx, caller, params.id),
);
