import * as v from 'valibot';
import { requireScope } from '#lib/core/caller.ts';
import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { ExportFile } from '#lib/entities/export.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { exportContact } from '#lib/privacy/export/contact.ts';
import { ContactExport } from '#lib/privacy/export/document.ts';

/** Everything about one person, in one document. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/contacts/{id}/export',
    summary: 'Export everything about a contact',
    scope: 'contacts:read',
    hasNoTool: true,
    status: 200,
    otherStatuses: [202],
    response: v.union([ContactExport, ExportFile]),
    responseOf: { 200: ContactExport, 202: ExportFile },
    volatile: ['exportedAt'],
    errors: ['not_found'],
    needs: ['commit', 'read-export-files', 'own-addresses', 'read-copies'],
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
