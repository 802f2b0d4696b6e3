import * as v from 'valibot';
import { pageEndpoint } from '#lib/http/asset-endpoint.ts';

/** Shows the button that unsubscribes: programs that open every link of a mail press none. */
export const handler = pageEndpoint(
  {
    method: 'GET',
    path: '/hooks/unsubscribe/{token}',
    summary: 'Ask before unsubscribing',
    scope: 'public',
    isUndocumented: true,
    textParams: ['token'],
    status: 200,
    response: v.never(),
    errors: ['not_found'],
  },
  async () => ({
    status: 200,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'",
      'Referrer-Policy': 'no-referrer',
    },
    body: '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Unsubscribe</title><body style="font:16px/1.5 system-ui;max-width:32rem;margin:4rem auto;padding:0 1rem"><h1>Unsubscribe</h1><form method="post"><p>You will get no more mails of this kind.</p><button>Unsubscribe</button></form></body></html>',
  }),
);
