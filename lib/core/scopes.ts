interface Meaning {
  /** Description of the scope in the panel. */
  lets: string;
  /** A member of the role `member` does not have it (contract section 27). */
  isOfOwners: boolean;
  /** It can do harm which is hard to mend: the panel warns of it. */
  isPowerful: boolean;
}

/** Every scope of the contract (base document, "Scopes"). */
const meanings = {
  'telegram:send': { lets: 'send Telegram messages', isOfOwners: false, isPowerful: false },
  'telegram:read': { lets: 'see Telegram accounts and messages', isOfOwners: false, isPowerful: false },
  'twitter:send': { lets: 'send and see X messages', isOfOwners: false, isPowerful: false },
  'contacts:read': { lets: 'see contacts, conversations, members', isOfOwners: false, isPowerful: false },
  'contacts:write': { lets: 'make and change contacts', isOfOwners: false, isPowerful: false },
  'contacts:erase': { lets: 'erase contacts for good', isOfOwners: true, isPowerful: true },
  'sequences:read': { lets: 'see sequences', isOfOwners: false, isPowerful: false },
  'sequences:write': { lets: 'pause and resume sequences', isOfOwners: false, isPowerful: false },
  'analytics:read': { lets: 'see the numbers', isOfOwners: false, isPowerful: false },
  'finance:read': { lets: 'see money', isOfOwners: true, isPowerful: false },
  'finance:write': { lets: 'book money, mark invoices paid', isOfOwners: true, isPowerful: true },
  'deals:read': { lets: 'see deals', isOfOwners: false, isPowerful: false },
  'deals:write': { lets: 'make, change and move deals', isOfOwners: false, isPowerful: false },
  'tasks:read': { lets: 'see tasks', isOfOwners: false, isPowerful: false },
  'tasks:write': { lets: 'make and change tasks', isOfOwners: false, isPowerful: false },
  'email:read': { lets: 'see mail', isOfOwners: false, isPowerful: false },
  'email:write': { lets: 'change the state of mail', isOfOwners: false, isPowerful: false },
  'email:send': { lets: 'answer mail', isOfOwners: false, isPowerful: true },
  'email:compose': { lets: 'write new mail', isOfOwners: false, isPowerful: true },
  'pipelines:read': { lets: 'see the boards', isOfOwners: false, isPowerful: false },
  'webhooks:read': { lets: 'see webhooks and events', isOfOwners: false, isPowerful: false },
  'webhooks:write': { lets: 'make and change webhooks', isOfOwners: false, isPowerful: false },
  'agents:read': { lets: 'see agents', isOfOwners: false, isPowerful: false },
  'agents:run': { lets: 'try agents', isOfOwners: false, isPowerful: false },
  'jobs:read': { lets: 'see what is to be sent', isOfOwners: false, isPowerful: false },
  'companies:read': { lets: 'see companies', isOfOwners: false, isPowerful: false },
  'companies:write': { lets: 'make and change companies', isOfOwners: false, isPowerful: false },
  'pipelines:write': { lets: 'make and change boards', isOfOwners: false, isPowerful: false },
  'fields:manage': { lets: 'make and change custom fields', isOfOwners: true, isPowerful: true },
  'imports:run': { lets: 'move data in', isOfOwners: true, isPowerful: true },
  'exports:run': { lets: 'move data out', isOfOwners: true, isPowerful: true },
  'keys:manage': { lets: 'make and revoke keys', isOfOwners: true, isPowerful: true },
  'accounts:manage': { lets: 'connect and disconnect accounts', isOfOwners: true, isPowerful: true },
} as const satisfies Record<string, Meaning>;

export type Scope = keyof typeof meanings;
export const scopes = Object.keys(meanings) as Scope[];

export const meaningOf = (scope: Scope): Meaning => meanings[scope];

const nounOf = { contact: 'contacts', company: 'companies', deal: 'deals', task: 'tasks' } as const;

/** Returns the scope that reads or changes the records of an object. */
export const scopeOf = (object: keyof typeof nounOf, access: 'read' | 'write'): Scope => `${nounOf[object]}:${access}`;

/** A scope that a call needs, or several of which one is enough; any key may call, or anybody. */
export type NeededScope = Scope | readonly Scope[] | 'any' | 'public';

/** The scopes of which a caller needs one; none where any key may call, or anybody. */
export const scopesOf = ({ scope }: { scope: NeededScope }): readonly Scope[] =>
  scope === 'any' || scope === 'public' ? [] : ([scope].flat() as Scope[]);
