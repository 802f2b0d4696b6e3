import { asciiDigitsIn, foldCase } from '#lib/core/text.ts';

/** A place in a text where a word stands. */
export interface FoundRange {
  /** Half-open, in UTF-16 units of the text. */
  start: number;
  end: number;
}

/** A text as searches compare it, and where each of its units stands in the original. */
interface Mapped {
  folded: string;
  starts: number[];
  ends: number[];
}

/** A letter with its marks is folded as one. */
const clusters = /\P{M}\p{M}*/gu;

function mapped(text: string, fold: (part: string) => string): Mapped {
  const all: Mapped = { folded: '', starts: [], ends: [] };
  for (const { 0: part, index } of text.matchAll(clusters)) {
    const folded = fold(part);
    all.folded += folded;
    for (let unit = 0; unit < folded.length; unit += 1) {
      all.starts.push(index);
      all.ends.push(index + part.length);
    }
  }
  return all;
}

/** Places of a word in a text that are told. */
const maxRanges = 10;

/** Returns where the words, each in any of its spellings, stand in a text; phone numbers are compared by their digits. */
export function rangesIn(
  text: string,
  words: readonly (readonly string[])[],
  { isPhone = false }: { isPhone?: boolean } = {},
): FoundRange[] {
  const { folded, starts, ends } = mapped(text, isPhone ? asciiDigitsIn : foldCase);
  return words.flatMap((spellings) =>
    spellings.flatMap((spelling) => {
      if (spelling === '' || (isPhone && !/^\d+$/.test(spelling))) return [];
      const found: FoundRange[] = [];
      for (
        let at = folded.indexOf(spelling);
        at !== -1 && found.length < maxRanges;
        at = folded.indexOf(spelling, at + spelling.length)
      ) {
        found.push({ start: starts[at] as number, end: ends[at + spelling.length - 1] as number });
      }
      return found;
    }),
  );
}
