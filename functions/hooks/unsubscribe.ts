import * as v from 'valibot';
import { pageEndpoint } from '#lib/http/asset-endpoint.ts';
import { unsubscribe } from '#lib/sequences/unsubscribe.ts';
import { unsubscribePage } from '#lib/sequences/unsubscribe-page.ts';

/** Unsubscribes an address when its mail program posts here, or somebody who pressed the button (RFC 8058). */
export const handler = pageEndpoint(
  {
    method: 'POST',
    path: '/hooks/unsubscribe/{token}',
    summary: 'Unsubscribe from sequences',
    scope: 'public',
    isUndocumented: true,
    textParams: ['token'],
    status: 200,
    response: v.never(),
    errors: ['not_found'],
    needs: ['commit'],
  },
  async ({ token = '' }) => {
    await unsubscribe(token);
    return unsubscribePage('<h1>You are unsubscribed</h1><p>You get no more mails of this kind.</p>');
  },
);
