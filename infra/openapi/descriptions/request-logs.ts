import type { Noun } from './noun.ts';

export const requestLogs: Noun = {
  about: 'Calls of the keys of the workspace, reads included, kept for 7 days.',
  operations: {
    requestLogsList:
      'Lists the calls that keys of this environment have made, reads included, newest first. Use it to debug an integration or to see what a key does. It never has bodies, headers, or query values. Entries appear within a minute and are kept for 7 days.\n\nWith a filter a page may be short or even empty while there is more: go on with `nextCursor`. Calls without a valid key are not included. Of the calls over a rate limit, at least the first 20 of a key and minute are.',
  },
  parameters: {
    '*': {
      keyId: 'Only calls of the key with this 12-character id.',
      requestId: 'Only the call with this `X-Request-Id`, which every error shows.',
      method: 'Only calls with this HTTP method.',
      route: 'Only calls of this route, as this document writes it: `/v1/contacts/{id}`.',
      status: 'Only calls answered with this status, or with one of its class: `404`, or `4xx`.',
      since: 'Only calls at or after this time.',
      until: 'Only calls at or before this time.',
    },
  },
  schemas: {
    RequestLog: {
      id: 'Id of the entry, rising with time.',
      at: 'When the call arrived, in UTC.',
      requestId: 'The `X-Request-Id` of the answer.',
      keyId: 'The 12-character id of the key that made the call.',
      method: 'HTTP method of the call, in capitals.',
      route: 'Path as this document writes it, such as `/v1/contacts/{id}`. `*` when no operation has it.',
      path: 'Path that was called, without its query. Parts that may name a person are replaced.',
      status: 'HTTP status of the answer.',
      reason: 'The `details.reason` of the error. Null when there was none.',
      durationMs: 'How long the call took here, in milliseconds.',
      ip: 'Address that the call came from.',
    },
  },
};
