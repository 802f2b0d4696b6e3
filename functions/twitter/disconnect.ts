import { disconnectTwitter } from '#lib/channels/twitter/accounts.ts';
import { longTimeoutSeconds } from '#lib/core/timeouts.ts';
import { twitter } from '#lib/core/twitter-channel.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { accountChange } from '#lib/messages/accounts/route.ts';
import { getAccount } from '#lib/messages/accounts/store.ts';

/** Ends an account: its tokens are revoked at X, and forgotten. What is queued waits for a day. */
export const handler = endpoint(
  {
    ...accountChange(twitter.name),
    method: 'POST',
    path: '/v1/twitter/accounts/{id}/disconnect',
    summary: 'Disconnect an X account',
    errors: ['not_found'],
    needs: ['decrypt:account'],
    heavyDependency: 'undici: it has X revoke the tokens',
    timeoutSeconds: longTimeoutSeconds,
  },
  async ({ tx, params }) => {
    const { id } = await disconnectTwitter(tx, params.id);
    return getAccount(tx, id, twitter.name);
  },
);
