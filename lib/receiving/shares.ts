import { getDomain } from 'tldts-icann';
import { domainOf } from '#lib/email/authentication.ts';
import { digestOf } from '#lib/entities/bounce.ts';
import type { Authentication } from '#lib/entities/email-message.ts';
import { type Counted, left, take, takeAll } from '#lib/quotas/quota.ts';
import type { Tenant } from '#lib/tenant.ts';

/** Who has sent something, as far as that is known. */
export interface Sender {
  contactId: number | null;
  /** Of a mail. */
  email?: string | undefined;
  verdict?: Authentication['verdict'] | undefined;
}

/** What counts what somebody sends: each of `all`, and either the `first` of whose it is or what goes `beyond` it. */
export interface Shares {
  all: readonly Counted[];
  first: Counted;
  beyond: Counted;
}

/** Those of a contact, of whose domain a mail surely came from, or of all who may be anybody. */
export function sharesOf({ contactId, email, verdict }: Sender): Shares {
  const isStranger = contactId === null;
  const isSure = verdict === 'pass' && email !== undefined;
  const stranger = isSure ? `domain/${digestOf(registered(domainOf(email)))}` : 'nobody';
  const share = isStranger ? stranger : String(contactId);
  return {
    all: ['received', `receivedFrom/${share}`, ...(isStranger ? ['receivedFromStrangers' as const] : [])],
    first: `receivedFirst/${share}`,
    beyond: isStranger ? 'receivedBeyondFromStrangers' : 'receivedBeyond',
  };
}

/** How many bytes may still be taken today. */
export async function roomIn(tenant: Tenant, { all, first, beyond }: Shares): Promise<number> {
  const leftOf = (quotas: readonly Counted[]) => Promise.all(quotas.map((quota) => left(tenant, quota)));
  const [either, each] = await Promise.all([leftOf([first, beyond]), leftOf(all)]);
  return Math.min(Math.max(...either), ...each);
}

/** Takes what was received, of what there is. */
export async function takeFrom(tenant: Tenant, { all, first, beyond }: Shares, bytes: number): Promise<void> {
  const isFirst = await takeAll(tenant, first, bytes);
  await Promise.all((isFirst ? all : [...all, beyond]).map((quota) => take(tenant, quota, bytes)));
}

/** What somebody has registered: below it they have as many domains as they like, and names that no host may have. */
const registered = (domain: string) =>
  getDomain(domain.split('.').filter(Boolean).join('.'), { validateHostname: false, extractHostname: false }) ?? domain;
