import type { Scope } from '../../app/session.ts';

/** What each scope lets a key do. */
export const scopeTexts: Record<Scope, string> = {
  'contacts:read': 'see contacts, conversations, members',
  'contacts:write': 'make and change contacts',
  'contacts:erase': 'erase contacts for good',
  'telegram:send': 'send Telegram messages',
  'telegram:read': 'see Telegram accounts and messages',
  'twitter:send': 'send and see X messages',
  'email:read': 'see mail',
  'email:write': 'change the state of mail',
  'email:send': 'answer mail',
  'email:compose': 'write new mail',
  'deals:read': 'see deals',
  'deals:write': 'make, change and move deals',
  'tasks:read': 'see tasks',
  'tasks:write': 'make and change tasks',
  'pipelines:read': 'see the boards',
  'finance:read': 'see money',
  'finance:write': 'book money, mark invoices paid',
  'sequences:read': 'see sequences',
  'sequences:write': 'pause and resume sequences',
  'agents:read': 'see agents',
  'agents:run': 'try agents',
  'analytics:read': 'see the numbers',
  'jobs:read': 'see what is to be sent',
  'webhooks:read': 'see webhooks and events',
  'webhooks:write': 'make and change webhooks',
  'keys:manage': 'make and revoke keys',
  'accounts:manage': 'connect and disconnect accounts',
};

export const allScopes = Object.keys(scopeTexts) as Scope[];

/** What can do harm that is hard to mend: given only to who needs it. */
const powerful: readonly Scope[] = [
  'contacts:erase',
  'email:send',
  'email:compose',
  'finance:write',
  'keys:manage',
  'accounts:manage',
];

export const isPowerful = (scope: Scope): boolean => powerful.includes(scope);
