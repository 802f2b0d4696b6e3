import { listOf } from '#lib/core/schema.ts';
import { DataExport, DataExportQuery } from '#lib/entities/data-export.ts';
import { listDataExports } from '#lib/exports/store.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Lists exports, newest first. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/exports',
    summary: 'List exports',
    scope: 'exports:run',
    hasNoTool: true,
    query: DataExportQuery,
    status: 200,
    response: listOf(DataExport),
    errors: ['bad_request'],
    needs: ['read-export-files'],
    heavyDependency: 'the client of S3, which signs the URLs of files',
  },
  ({ tx, caller, query }) => listDataExports(tx, caller, query),
);
