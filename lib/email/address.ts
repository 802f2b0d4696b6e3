import type { Mailbox } from '#lib/entities/email-thread.ts';
import { environments, type Tenant } from '#lib/tenant.ts';

/** Spelling does not tell mailboxes apart. */
export const sameAddress = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/** Each address once, the first spelling of it. */
export function distinct<Of extends Mailbox>(mailboxes: readonly Of[]): Of[] {
  const found = new Map<string, Of>();
  for (const mailbox of mailboxes) {
    const key = mailbox.email.toLowerCase();
    if (!found.has(key)) found.set(key, mailbox);
  }
  return [...found.values()];
}

/** RFC 6761: no mail goes there. */
export const nowhere = 'sender.invalid';
export const canBeReached = (email: string) => !sameAddress(email.slice(email.lastIndexOf('@') + 1), nowhere);

/** Where mail for an environment of a workspace arrives: `workspace-7@…`, for the sandbox `workspace-7+test@…`. */
export const ownAddress = ({ workspaceId, env }: Tenant, domain: string) =>
  `workspace-${workspaceId}${env === 'live' ? '' : `+${env}`}@${domain}`;

/** Whose own address this is, if it is one; with a domain only one of that domain. */
export function tenantOf(email: string, domain?: string): Tenant | undefined {
  const [, workspaceId, suffix = 'live', at = ''] = /^workspace-(\d{1,10})(?:\+(\w+))?@(.*)$/i.exec(email) ?? [];
  const env = environments.find((name) => name === suffix.toLowerCase());
  if (!workspaceId || !env || (domain !== undefined && !sameAddress(at, domain))) return undefined;
  return { workspaceId: Number(workspaceId), env };
}
