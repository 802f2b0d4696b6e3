const invisible = /\u034f|[\u00ad\u180e\u200b\u2060-\u2064\ufeff]/g;
/** Newsletters fill their preheaders with rows of joiners, figure spaces, and blanks of Braille and Hangul. One between letters is a letter’s. */
const filler = /(?:(?:\u200c|\u200d|[\u2007\u2800\u3164])[ \u00a0]*){2,}/g;
const loneJoiner = /(?<=^|\s)(?:\u200c|\u200d|[\u2007\u2800\u3164])+(?=\s|$)/gm;

/** The text without signs that show nothing. */
export const withoutFiller = (text: string): string =>
  text.replaceAll(invisible, '').replaceAll(filler, ' ').replaceAll(loneJoiner, '');
