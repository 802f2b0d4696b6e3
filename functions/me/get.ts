import * as v from 'valibot';
import { id, time } from '#lib/core/schema.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { getWorkspace } from '#lib/workspaces/store.ts';

const Me = v.pipe(
  v.object({
    id: id(),
    email: v.string(),
    name: v.nullable(v.string()),
    createdAt: time(),
    apiKey: v.object({ keyId: v.string(), scopes: v.array(v.string()) }),
  }),
  v.title('Me'),
);

/** Answer for a member in the panel, who has no key. */
const inPanel = 'panel';

/** The workspace behind the key, and what the key may do. */
export const handler = endpoint(
  {
    method: 'GET',
    path: '/v1/me',
    summary: 'Who am I',
    scope: 'any',
    status: 200,
    response: Me,
    errors: ['not_found'],
  },
  async ({ tx, caller }) => ({
    ...(await getWorkspace(tx)),
    apiKey: { keyId: caller.keyId ?? inPanel, scopes: [...caller.scopes] },
  }),
);
