const invisible = /\u034f|[\u00ad\u180e\u200b\u2060-\u2064\ufeff]/g;
/** Joiners in a row, and figure spaces, are what newsletters fill their preheaders with; one between letters is a letter's. */
const filler = /(?:(?:\u200c|\u200d|\u2007)[ \u00a0]*){2,}/g;
const loneJoiner = /(?<=^|\s)(?:\u200c|\u200d|\u2007)+(?=\s|$)/gm;

/** The text without signs that show nothing. */
export const withoutFiller = (text: string): string =>
  text.replaceAll(invisible, '').replaceAll(filler, ' ').replaceAll(loneJoiner, '');

/** Whether a text shows nothing. */
export const isBlank = (text: string): boolean => withoutFiller(text).trim() === '';
