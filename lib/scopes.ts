/** Every scope of the contract (base document, "Scopes"). */
export const scopes = [
  'telegram:send',
  'telegram:read',
  'twitter:send',
  'contacts:read',
  'contacts:write',
  'sequences:read',
  'sequences:write',
  'analytics:read',
  'finance:read',
  'finance:write',
  'deals:read',
  'deals:write',
  'tasks:read',
  'tasks:write',
  'email:read',
  'email:write',
  'email:send',
  'pipelines:read',
  'webhooks:read',
  'webhooks:write',
  'agents:read',
  'agents:run',
  'jobs:read',
  'keys:manage',
] as const;

export type Scope = (typeof scopes)[number];
