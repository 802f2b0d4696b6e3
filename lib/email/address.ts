import { env } from '#lib/core/env.ts';
import { addressKey, emailAddress, withAsciiDomain } from '#lib/core/mail-address.ts';
import { environments, type Tenant } from '#lib/core/tenant.ts';
import type { Mailbox } from '#lib/entities/email-thread.ts';

const isAscii = /^[!-~]*$/;

/** Spelling does not tell mailboxes apart. */
export const sameAddress = (a: string, b: string) => addressKey(a) === addressKey(b);

/** Each address once, the first spelling of it. */
export function distinct<Of extends Mailbox>(mailboxes: readonly Of[]): Of[] {
  const found = new Map<string, Of>();
  for (const mailbox of mailboxes) {
    const key = addressKey(mailbox.email);
    if (!found.has(key)) found.set(key, mailbox);
  }
  return [...found.values()];
}

/** RFC 6761: no mail goes there. */
export const nowhere = 'sender.invalid';

/** Whether SES can send a mail there. */
export function canBeReached(email: string): boolean {
  const address = withAsciiDomain(email);
  return isAscii.test(address) && emailAddress.test(address) && !address.toLowerCase().endsWith(`@${nowhere}`);
}

/** Where mail for an environment of a workspace arrives: `workspace-7@…`, for the sandbox `workspace-7+test@…`. */
export const ownAddress = ({ workspaceId, env }: Tenant, domain: string) =>
  `workspace-${workspaceId}${env === 'live' ? '' : `+${env}`}@${domain}`;

/** Whether mail to this address comes to a tenant, or from the deployment's sender. */
export function isOwnAddress(tenant: Tenant, email: string): boolean {
  const owner = tenantOf(email, env('MAIL_DOMAIN'));
  return sameAddress(email, env('MAIL_FROM') ?? '') || owner?.workspaceId === tenant.workspaceId;
}

/** Whether mail to this address comes to a workspace, or from the deployment's sender: an answer to it would be an answer to ourselves. */
export const isOurs = (email: string): boolean =>
  sameAddress(email, env('MAIL_FROM') ?? '') || tenantOf(email, env('MAIL_DOMAIN')) !== undefined;

/** Whose own address this is, if it is one; with a domain only one of that domain. */
export function tenantOf(email: string, domain?: string): Tenant | undefined {
  const [, workspaceId, suffix = 'live', at = ''] = /^workspace-(\d{1,10})(?:\+(\w+))?@(.*)$/i.exec(email) ?? [];
  const env = environments.find((name) => name === suffix.toLowerCase());
  if (!workspaceId || !env || (domain !== undefined && !sameAddress(at, domain))) return undefined;
  return { workspaceId: Number(workspaceId), env };
}
