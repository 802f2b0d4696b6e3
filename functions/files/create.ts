import { requireScope } from '#lib/core/caller.ts';
import { CreateFile, FileUpload } from '#lib/entities/file.ts';
import { createFile } from '#lib/files/store.ts';
import { endpoint } from '#lib/http/endpoint.ts';

const sending = ['telegram:send', 'email:send', 'email:compose'] as const;

/** Announces a file, and says where its bytes are to be put; a message or an import takes it by its id. */
export const handler = endpoint(
  {
    method: 'POST',
    path: '/v1/files',
    summary: 'Upload a file for a message or an import',
    scope: [...sending, 'imports:run'],
    permit: ({ caller, body }) => requireScope({ scope: body.purpose === 'import' ? 'imports:run' : sending }, caller),
    hasNoTool: true,
    body: CreateFile,
    status: 201,
    response: FileUpload,
    errors: ['bad_request'],
    needs: ['upload-files'],
    heavyDependency: 'the client of S3, which signs the URLs of files',
  },
  ({ tx, body }) => createFile(tx, body),
);
