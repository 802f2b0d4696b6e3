import providers from 'email-providers/all.json' with { type: 'json' };
import { parse } from 'tldts';
import { type FieldError, invalidFields } from '#lib/core/problem.ts';

/** Domains of the list that are kept for examples, by RFC 2606 or by habit: nobody has a mailbox there. */
const exampleDomains = new Set(['example.com', 'example.net', 'example.org', 'test.com']);
const freeMail = new Set(providers.filter((domain) => !exampleDomains.has(domain)));

/** Domains of a company as its row holds them. */
export interface Domains {
  domains: string[];
  roots: string[];
  freeDomains: string[];
}

/** Returns the domains, each once, with their registrable domains. Raises 400 for what is no public host name, by its place. */
export function readDomains(given: readonly string[], placeOf = (index: number) => `domains[${index}]`): Domains {
  const wrong: FieldError[] = [];
  const domains: string[] = [];
  const roots = new Set<string>();
  for (const [index, host] of given.entries()) {
    const { domain, hostname, isIcann, isIp, isPrivate } = parse(host, { allowPrivateDomains: true });
    if (hostname === null || hostname.includes('_') || domain === null || isIp || !(isIcann || isPrivate)) {
      const field = placeOf(index);
      wrong.push({ field, code: 'invalid_format', message: `${field} must be a public host name such as example.com` });
    } else if (!domains.includes(hostname)) {
      domains.push(hostname);
      roots.add(domain);
    }
  }
  if (wrong.length > 0) throw invalidFields(wrong);
  return { domains, roots: [...roots], freeDomains: domains.filter((domain) => freeMail.has(domain)) };
}
