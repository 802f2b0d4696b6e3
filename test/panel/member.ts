import { randomUUID } from 'node:crypto';
import { createSignIn } from '#lib/auth/session-store.ts';
import type { Role } from '#lib/core/choices.ts';
import { type Environment, operator } from '#lib/core/tenant.ts';
import { transact } from '#lib/table/transact.ts';
import { createMember } from '#lib/workspaces/members.ts';
import { asOneOf } from '#lib/workspaces/people.ts';
import { api, type Client, eventually, freshAddress, verbsOf } from '#test/client.ts';
import { sentWith } from '#test/email/outbox.ts';

export const newAddress = () => `${randomUUID()}@people.example`;

/** A member of a workspace with an address of their own unless one is given. */
export const newMember = (workspaceId: number, role: Role = 'owner', email = newAddress()) =>
  transact({ workspaceId, env: 'live' }, operator, (tx) => createMember(tx, { email, name: `A ${role}`, role }));

/** Calls without a session, from a client's address that nobody else has: sign-ins are counted by it. */
export const anonymous = () => api(undefined, { address: freshAddress() });

/** The token of the newest link that was mailed to an address. */
export const mailedToken = (email: string) =>
  eventually(async () => tokenIn((await sentWith(`To: ${email}`)).at(-1)), 'a link');

export const tokenIn = (text: string | undefined) =>
  /\/panel\/#\/sign-in\/(\w+)/.exec((text ?? '').replaceAll(/=\r?\n/g, ''))?.[1];

export interface Signed extends Client {
  token: string;
  memberId: number;
  email: string;
  /** The same session, elsewhere. */
  in(place: { env?: Environment; workspaceId?: number }): Client;
}

/** Somebody who is signed in: what the operator's command prints lets them in. */
export async function signedIn(workspaceId: number, role: Role = 'owner', email = newAddress()): Promise<Signed> {
  const member = await newMember(workspaceId, role, email);
  const token = await createSignIn(await asOneOf(workspaceId, member));
  const { body } = await anonymous().post('/panel/sessions', { token });
  return {
    ...api(body.session),
    token: body.session,
    memberId: member.id,
    email,
    in: (place) =>
      withHeaders(api(body.session), {
        ...(place.env && { 'x-environment': place.env }),
        ...(place.workspaceId && { 'x-workspace': String(place.workspaceId) }),
      }),
  };
}

const withHeaders = (client: Client, headers: Record<string, string>): Client =>
  verbsOf((method, path, options = {}) =>
    client.call(method, path, { ...options, headers: { ...headers, ...options.headers } }),
  );
