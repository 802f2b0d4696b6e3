import * as v from 'valibot';
import { pageEndpoint } from '#lib/http/asset-endpoint.ts';
import { unsubscribe } from '#lib/sequences/unsubscribe.ts';

const page = (text: string) => ({
  status: 200,
  headers: {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'",
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  },
  body: `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Unsubscribe</title><body style="font:16px/1.5 system-ui;max-width:32rem;margin:4rem auto;padding:0 1rem">${text}</body></html>`,
});

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
    return page('<h1>You are unsubscribed</h1><p>You get no more mails of this kind.</p>');
  },
);
