import { createHash } from 'node:crypto';
import { domainToASCII, domainToUnicode } from 'node:url';

const isAscii = /^[!-~]*$/;

/**
 * Pattern of domains: of ASCII only word characters, dots, and hyphens. Node's parser of URLs would take a part of `example.com/ü` for the domain, which belongs to
 * somebody else.
 */
const mayBeDomain = /^[\w.\-\u0080-\u{10ffff}]*$/u;

const withDomain = (email: string, change: (domain: string) => string) => {
  const at = email.lastIndexOf('@') + 1;
  const domain = email.slice(at);
  return mayBeDomain.test(domain) ? `${email.slice(0, at)}${change(domain) || domain}` : email;
};

/** RFC 5321: no path is longer. Some letters become eight, and keys of the table are made of addresses. */
const maxCharacters = 254;

/** The address with its domain in ASCII (RFC 5891), which is how SES takes it; one that cannot be written so stays as it is. */
export function withAsciiDomain(email: string): string {
  const ascii = withDomain(email, (domain) => (isAscii.test(domain) ? domain : domainToASCII(domain)));
  return ascii.length <= maxCharacters ? ascii : email;
}

const lowerAscii = (text: string) =>
  isAscii.test(text) ? text.toLowerCase() : text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/**
 * Returns the form that all spellings of one mailbox share; a bare domain is folded likewise. Before the `@` only ASCII
 * is folded: the Kelvin sign (U+212A) would become a `k`, which is another mailbox.
 */
export const addressKey = (email: string): string => lowerAscii(withAsciiDomain(email.trim()));

/** Whether there are spellings of such a key that are not in ASCII. */
function isInternational(key: string): boolean {
  if (!isAscii.test(key)) return true;
  const labels = key.slice(key.lastIndexOf('@') + 1).split('.');
  return labels.some((label) => label.startsWith('xn--'));
}

/** The spellings by which somebody may look for an address, its own first. */
export function spellingsOf(email: string): string[] {
  const key = addressKey(email);
  return isInternational(key) ? [...new Set([email, key, withDomain(key, domainToUnicode)])] : [email];
}

/**
 * Pattern of an address that SES takes: a local part of RFC 5322 without quotes, at a domain of labels in any language,
 * with single dots (those of RFC 3490). Nothing in it is invisible or changes the reading direction.
 */
export const emailAddress =
  /^[!#-'*+\--9=?A-Z^-~]+@(?![.。．｡])(?:[.。．｡]?[^@\s<>()[\]\\,:;"/?#%.。．｡\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f])+$/;

/** One address as callers state it, to which we may be unable to send: without a display name, `mailto:`, spaces, or a final dot. */
export const oneAddress =
  /^[^\s@<>()[\]\\,:;"\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff]+@(?:[^\s@<>()[\]\\,:;"/?#%.。．｡\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff]+[.。．｡])*[^\s@<>()[\]\\,:;"/?#%.。．｡\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff]+$/;

/** Returns the digest by which an address is known again without being shown: an erased person leaves no trace by it. */
export const digestOf = (...parts: readonly string[]) =>
  createHash('sha256').update(parts.join('\n').toLowerCase()).digest('base64url');
