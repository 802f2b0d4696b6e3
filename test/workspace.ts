import { mintKey, type NewKey } from '#lib/auth/key-store.ts';
import { scopes } from '#lib/core/scopes.ts';
import { type Environment, operator } from '#lib/core/tenant.ts';
import { transact } from '#lib/table/transact.ts';
import { createWorkspace } from '#lib/workspaces/create.ts';
import { createMember } from '#lib/workspaces/members.ts';
import { api, type Client } from '#test/client.ts';

export interface TestWorkspace {
  id: number;
  /** A member that tasks and contacts can be assigned to. */
  memberId: number;
  liveKey: string;
  testKey: string;
  live: Client;
  test: Client;
  /** Another key of the workspace. */
  mint(
    options?: { env?: Environment; rateLimitPerMinute?: number } & Partial<NewKey>,
  ): Promise<{ key: string; keyId: string; client: Client }>;
}

/** Tests are not what the rate limit is for. */
const plenty = 1_000_000;

/** Mints a key of a workspace, of every scope unless the options say otherwise. */
async function mintIn(id: number, ...[options = {}]: Parameters<TestWorkspace['mint']>) {
  const { env = 'live', rateLimitPerMinute = plenty, ...terms } = options;
  const { key, keyId } = await transact({ workspaceId: id, env }, operator, (tx) =>
    mintKey(
      tx,
      { name: 'test', scopes, ipAllowlist: [], expiresAt: null, ...terms },
      { createdByKeyId: null, rateLimitPerMinute },
    ),
  );
  return { key, keyId, client: api(key) };
}

/** Makes a client with a key of every scope. */
export const clientOf = async (workspaceId: number, env: Environment = 'live') =>
  (await mintIn(workspaceId, { env })).client;

/** A workspace of its own with a key of every scope for each environment. */
export async function newWorkspace(currency = 'EUR'): Promise<TestWorkspace> {
  const { id } = await createWorkspace({ name: 'Test', currency });
  const mint: TestWorkspace['mint'] = (options) => mintIn(id, options);
  const [live, test, member] = await Promise.all([
    mint(),
    mint({ env: 'test' }),
    transact({ workspaceId: id, env: 'live' }, operator, (tx) =>
      createMember(tx, { email: 'ann@example.com', name: 'Ann', role: 'member' }),
    ),
  ]);
  return { id, memberId: member.id, liveKey: live.key, testKey: test.key, live: live.client, test: test.client, mint };
}
