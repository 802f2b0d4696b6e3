import * as v from 'valibot';
import { countSignIn } from '#lib/auth/sign-in-limits.ts';
import { panelBase } from '#lib/core/env.ts';
import { memberEmail } from '#lib/entities/member.ts';
import { openEndpoint } from '#lib/http/endpoint.ts';
import { clientNetwork } from '#lib/network/addresses.ts';
import { sendMessages } from '#lib/queues/send.ts';

const CreateSignIn = v.pipe(v.object({ email: memberEmail() }), v.title('CreateSignIn'));
const SignIn = v.pipe(v.object({}), v.title('SignIn'));

/** Tenant of no workspace: it is not known yet whether the address is a member's. */
const nowhere = { workspaceId: 0, env: 'live' } as const;

/** Has a link mailed to a member, and answers the same, in the same time, where there is none. */
export const handler = openEndpoint(
  {
    method: 'POST',
    path: '/panel/sign-ins',
    summary: 'Ask for a link to sign in with',
    scope: 'public',
    isUndocumented: true,
    body: CreateSignIn,
    status: 202,
    response: SignIn,
    errors: ['bad_request'],
    location: () => '/panel/sign-ins',
    needs: ['ask-sign-ins', 'send:sign-ins'],
  },
  async ({ body: { email }, facts }) => {
    await countSignIn(email, facts.ip);
    await sendMessages('sign-ins', [
      { tenant: nowhere, message: { email, base: panelBase(facts), client: clientNetwork(facts.ip) } },
    ]);
    return {};
  },
);
