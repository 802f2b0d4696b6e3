import { DataExport } from '#lib/entities/data-export.ts';
import { getDataExport, permitDataExport } from '#lib/exports/store.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** How far an export is, and where its file is. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/exports/{id}',
    summary: 'Get an export',
    scope: 'exports:run',
    hasNoTool: true,
    status: 200,
    response: DataExport,
    volatile: ['url'],
    errors: ['not_found'],
    permit: permitDataExport,
    needs: ['read-export-files'],
    heavyDependency: 'the client of S3, which signs the URLs of files',
  },
  ({ tx, params }) => getDataExport(tx, params.id),
);
