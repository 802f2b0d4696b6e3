/** The secrets of endpoints are base64, in which there are slashes. */
const credential = /(csk_(?:live|test)_|cps_)[\w-]{8,}|(whsec_)[\w+/=-]{8,}/g;

/** What a caller has sent, without the keys, sessions and secrets that stand in it by mistake: it is kept where others may read it. */
export const withoutCredentials = (text: string): string => text.replace(credential, '$1$2…');
