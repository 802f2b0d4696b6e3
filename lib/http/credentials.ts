/** The secrets of endpoints are base64, in which there are slashes. */
const credential =
  /((?:csk(?:_|%5f)\w{4}|cps)(?:_|%5f))[\w%-]{8,}|(whsec(?:_|%5f))[\w%+/=-]{8,}|(\b(?:bot)?\d{6,12}(?::|%3a))[\w-]{30,}/gi;

/**
 * Returns a caller's text without keys, sessions and secrets that it holds by mistake: it is kept where others may read
 * it.
 */
export const withoutCredentials = (text: string): string => text.replace(credential, '$1$2$3…');
