import * as v from 'valibot';
import { pageEndpoint } from '#lib/http/asset-endpoint.ts';
import { unsubscribePage } from '#lib/sequences/unsubscribe-page.ts';

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
  async () =>
    unsubscribePage(
      '<h1>Unsubscribe</h1><form method="post"><p>You will get no more mails of this kind.</p><button>Unsubscribe</button></form>',
    ),
);
