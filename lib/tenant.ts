export const environments = ['live', 'test'] as const;
export type Environment = (typeof environments)[number];

/** One workspace in one environment: the unit of isolation. */
export interface Tenant {
  workspaceId: number;
  env: Environment;
}

/** `7:live`, the prefix of every partition key of that tenant. */
export const tenantKey = (tenant: Tenant) => `${tenant.workspaceId}:${tenant.env}`;

export function parseTenantKey(key: string): Tenant {
  const [workspaceId, env] = key.split(':');
  return { workspaceId: Number(workspaceId), env: env as Environment };
}

/** Who causes a change, as events and activities show it. */
export type Actor =
  | { type: 'user'; id: number | null }
  | { type: 'api_key'; id: string }
  | { type: 'ai'; id: null }
  | { type: 'system'; id: null };

export const system: Actor = { type: 'system', id: null };
/** The panel's and the operator's changes are a person's, whom the command line does not name. */
export const operator: Actor = { type: 'user', id: null };
