import * as v from 'valibot';
export const environments = ['live', 'test'] as const;
export type Environment = (typeof environments)[number];

/** One workspace in one environment: the unit of isolation. */
export interface Tenant {
  workspaceId: number;
  env: Environment;
}

/** `7:live`, the prefix of every partition key of that tenant. */
export const tenantKey = (tenant: Tenant) => `${tenant.workspaceId}:${tenant.env}`;

export const tenantKeyPattern = /^[1-9]\d*:(live|test)$/;

/** Throws for what is no tenant's key. */
export function parseTenantKey(key: string): Tenant {
  if (!tenantKeyPattern.test(key)) throw new Error('a tenant has another form');
  const [workspaceId, env] = key.split(':');
  return { workspaceId: Number(workspaceId), env: env as Environment };
}

const actorTypes = ['user', 'api_key', 'ai', 'system'] as const satisfies readonly Actor['type'][];

/** Actor of a change, as events and activities show it. */
export type Actor =
  | { type: 'user'; id: number | null }
  | { type: 'api_key'; id: string }
  | { type: 'ai'; id: null }
  | { type: 'system'; id: null };

export const system: Actor = { type: 'system', id: null };
/** The panel's and the operator's changes are a person's, whom the command line does not name. */
export const operator: Actor = { type: 'user', id: null };

/** An actor, as events and the audit log show it. */
export const EventActor = v.pipe(
  v.object({ type: v.picklist(actorTypes), id: v.nullable(v.string()) }),
  v.title('EventActor'),
);
