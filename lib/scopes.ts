/** Every scope of the contract (base document, "Scopes"). */
export const scopes = [
  'telegram:send',
  'telegram:read',
  'twitter:send',
  'contacts:read',
  'contacts:write',
  'contacts:erase',
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
  'email:compose',
  'pipelines:read',
  'webhooks:read',
  'webhooks:write',
  'agents:read',
  'agents:run',
  'jobs:read',
  'keys:manage',
  'accounts:manage',
] as const;

export type Scope = (typeof scopes)[number];

/** What each lets a key do, as the panel says it. */
export const scopeTexts: Record<Scope, string> = {
  'telegram:send': 'send Telegram messages',
  'telegram:read': 'see Telegram accounts and messages',
  'twitter:send': 'send and see X messages',
  'contacts:read': 'see contacts, conversations, members',
  'contacts:write': 'make and change contacts',
  'contacts:erase': 'erase contacts for good',
  'sequences:read': 'see sequences',
  'sequences:write': 'pause and resume sequences',
  'analytics:read': 'see the numbers',
  'finance:read': 'see money',
  'finance:write': 'book money, mark invoices paid',
  'deals:read': 'see deals',
  'deals:write': 'make, change and move deals',
  'tasks:read': 'see tasks',
  'tasks:write': 'make and change tasks',
  'email:read': 'see mail',
  'email:write': 'change the state of mail',
  'email:send': 'answer mail',
  'email:compose': 'write new mail',
  'pipelines:read': 'see the boards',
  'webhooks:read': 'see webhooks and events',
  'webhooks:write': 'make and change webhooks',
  'agents:read': 'see agents',
  'agents:run': 'try agents',
  'jobs:read': 'see what is to be sent',
  'keys:manage': 'make and revoke keys',
  'accounts:manage': 'connect and disconnect accounts',
};

/** Of those that can do harm which is hard to mend, the panel warns. */
const powerful: readonly Scope[] = [
  'contacts:erase',
  'email:send',
  'email:compose',
  'finance:write',
  'keys:manage',
  'accounts:manage',
];
export const isPowerful = (scope: Scope): boolean => powerful.includes(scope);
