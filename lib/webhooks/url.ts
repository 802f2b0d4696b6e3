import { isForbiddenHost, privateNetworksAllowed } from '#lib/network/forbidden.ts';
import { type FieldCode, invalidField } from '#lib/problem.ts';
import type { Environment } from '#lib/tenant.ts';

const refused = (code: FieldCode, rule: string) => invalidField('url', code, `url ${rule}`);

/**
 * Raises 400 unless events may be sent there (contract sections 14 and 0.9): https, or http where that is allowed, without
 * user-info, and not into a private network. The host is checked again at every send.
 */
export async function demandDeliverable(url: string, env: Environment): Promise<void> {
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) throw refused('invalid_format', 'must be an https URL');
  if (parsed.username || parsed.password) throw refused('invalid_format', 'must not contain a user name or password');
  const allowsPrivate = privateNetworksAllowed();
  if (parsed.protocol === 'http:' && env === 'live' && !allowsPrivate)
    throw refused('invalid_format', 'must be an https URL');
  if (await isForbiddenHost(parsed.hostname))
    throw refused('not_allowed', 'must not point to a private, loopback, link-local or metadata address');
}
