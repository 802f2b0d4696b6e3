import * as v from 'valibot';
import { environments, type Tenant } from '#lib/tenant.ts';

/** One side of an e-mail. */
export const Mailbox = v.pipe(v.object({ name: v.nullable(v.string()), email: v.string() }), v.title('Mailbox'));
export type Mailbox = v.InferOutput<typeof Mailbox>;

/** Spelling does not tell mailboxes apart. */
export const sameAddress = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

/** Each address once, the first spelling of it. */
export function distinct(mailboxes: readonly Mailbox[]): Mailbox[] {
  const found = new Map<string, Mailbox>();
  for (const mailbox of mailboxes) {
    const key = mailbox.email.toLowerCase();
    if (!found.has(key)) found.set(key, mailbox);
  }
  return [...found.values()];
}

/** Where mail for an environment of a workspace arrives: `workspace-7@…`, for the sandbox `workspace-7+test@…`. */
export const ownAddress = ({ workspaceId, env }: Tenant, domain: string) =>
  `workspace-${workspaceId}${env === 'live' ? '' : `+${env}`}@${domain}`;

/** Whose own address this is, if it is one. */
export function tenantOf(email: string): Tenant | undefined {
  const [, workspaceId, suffix = 'live'] = /^workspace-(\d+)(?:\+(\w+))?@/i.exec(email) ?? [];
  const env = environments.find((name) => name === suffix.toLowerCase());
  return workspaceId && env ? { workspaceId: Number(workspaceId), env } : undefined;
}
