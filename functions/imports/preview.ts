import { ImportPreview, PreviewImport } from '#lib/entities/import.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { permitImport } from '#lib/imports/permit.ts';
import { previewImport } from '#lib/imports/preview.ts';

/** Looks into a file before its rows are taken in. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/imports/preview',
    summary: 'Preview a file',
    scope: 'imports:run',
    hasNoTool: true,
    isQuery: true,
    permit: ({ caller, body }) => permitImport(caller, body),
    body: PreviewImport,
    status: 200,
    response: ImportPreview,
    errors: ['bad_request'],
    needs: ['read-uploads'],
    heavyDependency: 'the client of S3 and a reader of CSV',
    memoryMb: 512,
  },
  ({ tx, body }) => previewImport(tx, body),
);
