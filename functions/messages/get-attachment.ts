import { AttachmentFile } from '#lib/entities/file.ts';
import { attachmentFile } from '#lib/files/store.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getMessage } from '#lib/messages/store.ts';

/** Says where the bytes of a message's attachment are, for five minutes. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/messages/{id}/attachments/{attachmentId}',
    summary: 'Get an attachment of a message',
    scope: 'contacts:read',
    hasNoTool: true,
    status: 200,
    response: AttachmentFile,
    errors: ['not_found'],
    needs: ['read-files'],
    heavyDependency: 'the client of S3, which signs the URLs of files',
  },
  async ({ tx, params }) => attachmentFile(tx, (await getMessage(tx, params.id)).attachments, params['attachmentId']),
);
