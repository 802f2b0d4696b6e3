import { type FieldCode, invalidField } from '#lib/core/problem.ts';
import type { Environment } from '#lib/core/tenant.ts';
import { maxUrlLength } from '#lib/entities/webhook.ts';
import { isForbiddenHost, reachOfWebhooks } from '#lib/network/ssrf-ranges.ts';

const urlError = (code: FieldCode, rule: string) => invalidField('url', code, `url ${rule}`);

/**
 * The url as it will be called, which may differ from how it was typed. Raises 400 unless events may be sent there (contract
 * sections 14 and 0.9): https, or http where that is allowed, without user-info or a fragment, and not into a private network. The
 * host is checked again at every send.
 */
export async function deliverableUrl(url: string, env: Environment): Promise<string> {
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) throw urlError('invalid_format', 'must be an https URL');
  if (parsed.username || parsed.password) throw urlError('invalid_format', 'must not contain a user name or password');
  if (parsed.hash) throw urlError('invalid_format', 'must not have a fragment, which is never sent');
  if (parsed.hostname.replace(/\.$/, '').split('.').includes('') || parsed.port === '0')
    throw urlError('invalid_format', 'must name a host and a port that there can be');
  if (parsed.href.length > maxUrlLength) throw urlError('too_long', `must have at most ${maxUrlLength} characters`);
  if (parsed.protocol === 'http:' && env === 'live' && reachOfWebhooks() === 'public')
    throw urlError('invalid_format', 'must be an https URL');
  if (await isForbiddenHost(parsed.hostname))
    throw urlError('not_allowed', 'must not point to a private, loopback, link-local or metadata address');
  return parsed.href;
}
