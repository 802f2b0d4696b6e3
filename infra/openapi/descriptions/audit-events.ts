import type { Noun } from './noun.ts';

export const auditEvents: Noun = {
  about: 'The trail of writes and refused calls, kept for 90 days.',
  operations: {
    auditEventsList:
      'Lists every write, and every call that was refused with 401 or 403, newest first. Use it to find out which key changed something. Entries are kept for 90 days and may appear up to four seconds late. Reads are in the request log instead.',
  },
  parameters: {
    '*': {
      keyId: 'Only calls of the key with this 12-character id, for example `k7Qm2ZpX9aBc`.',
      method: 'Only calls with this HTTP method.',
      since: 'Only calls at or after this time.',
      until: 'Only calls at or before this time.',
    },
  },
  schemas: {
    AuditEvent: {
      id: 'Id of the entry, rising with time.',
      keyId: 'The 12-character id of the key that made the call. Null for what a member did in the panel.',
      method: 'HTTP method of the call, in capitals.',
      path: 'Path of the call, without its query.',
      status: 'HTTP status that the call was answered with.',
      ip: 'Address that the call came from.',
      userAgent: 'Program that made the call, as its `User-Agent` header says. Null when it sent none.',
      requestId: 'The `X-Request-Id` of the call. The same id is in the logs.',
      resourceType: 'The kind of resource that the path names, for example `contact`.',
      resourceId: 'Id of the resource that the path names. Null when it names none.',
      createdAt: 'When the call was made, in UTC to the second.',
      actor: 'The key or the member behind the call.',
    },
  },
};
