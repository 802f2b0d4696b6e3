import { getEmailMessage } from '#lib/email/store.ts';
import { AttachmentFile } from '#lib/entities/file.ts';
import { attachmentFile } from '#lib/files/store.ts';
import { endpoint } from '#lib/http/endpoint.ts';

/** Says where the bytes of a mail's attachment are, for five minutes. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/email/threads/{id}/messages/{messageId}/attachments/{attachmentId}',
    summary: 'Get an attachment of an e-mail',
    scope: 'email:read',
    hasNoTool: true,
    status: 200,
    response: AttachmentFile,
    errors: ['not_found'],
    needs: ['read-files'],
    heavyDependency: 'the client of S3, which signs the URLs of files',
  },
  async ({ tx, params }) => {
    const { attachments } = await getEmailMessage(tx, params.id, params['messageId'] as number);
    return attachmentFile(tx, attachments, params['attachmentId']);
  },
);
