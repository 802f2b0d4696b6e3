import * as v from 'valibot';
import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { ExportFile } from '#lib/entities/export.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { requireScope } from '#lib/http/identify.ts';
import { exportContact } from '#lib/privacy/export/contact.ts';
import { ContactExport } from '#lib/privacy/export/document.ts';

/** Everything about one person, in one document. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/contacts/{id}/export',
    summary: 'Export everything about a contact',
    description:
      'The contact and all that names it: activities, conversation, deals, tasks, enrollments, jobs, invoices, transactions, identities, and with the scope `email:read` its mail, each as its own operation shows it; of attachments what they are. Without `email:read` all mail is left out, also of `messages` and `jobs`, and there is no `emailThreads` and no `emailMessages`. 200 is the document. One of more than 1 MB, or that takes long to gather, becomes a file: 202, and the same call again tells how far it is. Once `status` is `completed`, `url` answers the same document until `expiresAt`, five minutes; each call gives a new one. An hour after that the call makes a new file; the bucket removes each within two days, and an erasure of the contact at once. `failed`: it would be more than 400 MB. A file counts 10 more in the minute of its key. The document is read page by page, not at one moment: what changes meanwhile may be shown as it was or as it became.',
    scope: 'contacts:read',
    hasNoTool: true,
    status: 200,
    otherStatuses: [202],
    response: v.union([ContactExport, ExportFile]),
    responseOf: { 200: ContactExport, 202: ExportFile },
    volatile: ['exportedAt'],
    errors: ['not_found'],
    needs: ['commit', 'read-export-files', 'own-addresses'],
    heavyDependency: 'the client of S3, which signs the URLs of files',
    timeoutSeconds: longTimeoutSeconds,
    // A member reads no finance, of which there is some in it.
    permit: ({ caller }) => caller.session && requireScope({ scope: 'finance:read' }, caller),
  },
  async ({ tx, params, caller, request, reply }) => {
    const exported = await exportContact(tx, params.id, caller.scopes.includes('email:read'));
    if ('document' in exported) return exported.document;
    reply.status = 202;
    reply.location = request.path;
    return exported.file;
  },
);
