import { domainToASCII, domainToUnicode } from 'node:url';

const isAscii = /^[!-~]*$/;

/** Of ASCII no domain has more; of `example.com/ü` Node's parser of URLs would take a part for the domain, which is somebody else's. */
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

const lowerAscii = (text: string) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());

/**
 * What all spellings of an address have in common: they are one mailbox. Of a domain alone the same. Before the `@` nothing but ASCII is
 * folded: the sign of Kelvin (U+212A) would become a `k`, and somebody else's address this one.
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
 * Whom SES sends mail: RFC 5322's characters of a local part, none of which needs quotes, at a domain of labels in the letters of any
 * language, with single dots between them (those of RFC 3490); nothing in it is unseen, or turns about what is read.
 */
export const emailAddress =
  /^[!#-'*+\--9=?A-Z^-~]+@(?![.。．｡])(?:[.。．｡]?[^@\s<>()[\]\\,:;"/?#%.。．｡\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f])+$/;

/** One address as callers state it, to which we may be unable to send: without a display name, `mailto:`, spaces, or a final dot. */
export const oneAddress =
  /^[^\s@<>()[\]\\,:;"\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff]+@(?:[^\s@<>()[\]\\,:;"/?#.。．｡\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff]+[.。．｡])*[^\s@<>()[\]\\,:;"/?#.。．｡\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff]+$/;
