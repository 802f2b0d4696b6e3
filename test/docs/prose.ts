/** A page, measured. Code blocks and front matter are left out everywhere, tables where a member does not say otherwise. */
export interface Prose {
  sentences: readonly string[];
  paragraphs: readonly string[];
  /** Words of prose below each heading, up to the next one. */
  sections: readonly { heading: string; words: number }[];
  /** Sentences of the cells of tables, without their heads. */
  cells: readonly string[];
  words: number;
  wordsOfTables: number;
}

/** Openings of a sentence that make its subject a clause. */
const banned = /^(?:Who|Whoever|Whom|What|Whatever|Of|So many|Those|That)\b/;

export const isBanned = (sentence: string) => banned.test(sentence);

export const wordsIn = (text: string): number => text.match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0;

/** Stands for code within a line: one word, whatever it holds. */
const code = '§x';

/** `**Cause**: ` at the beginning of an item is a label, not a sentence. */
const label = /^(\s*(?:[-*]|\d+\.)?\s*)\*\*[^*]+\*\*: /;

/** Returns a line as it is read: links as their text, code as one word, without labels and marks of emphasis. */
const asRead = (line: string) =>
  line
    .replace(label, '$1')
    .replaceAll(/``[^`]+``|`[^`]+`/g, code)
    .replaceAll(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/<!--.*?-->|<\/?[a-z][^>]*>/g, '')
    .replaceAll(/\*\*|(?<!\w)[*_]|[*_](?!\w)/g, '');

/** Splits at a period, an exclamation, or a question mark before a capital or code, and at a colon before a capital. */
const sentencesOf = (text: string) =>
  text
    .split(/(?<=[.!?][)"”]?)\s+(?=["“(]?[\p{Lu}§])|(?<=:)\s+(?=\p{Lu})/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => wordsIn(sentence) > 0);

const listItem = /^\s*(?:[-*]|\d+\.)\s+(?:\[[ x]\]\s+)?/;

/** Returns what a page of Markdown holds, as the bounds of the style count it. */
export function measureProse(page: string): Prose {
  const lines = page
    .replace(/^---\n.*?\n---\n/s, '')
    .replaceAll(/^(\s*)```.*?^\s*```$/gms, '')
    .split('\n');
  const paragraphs: string[] = [];
  const cells: string[] = [];
  const sections = [{ heading: '', words: 0 }];
  const isRule = (line: string | undefined) => /^\s*\|[\s:|-]+\|$/.test(line ?? '');
  let open = '';
  const close = () => {
    if (wordsIn(open) > 0) paragraphs.push(open.trim());
    open = '';
  };
  for (const [index, raw] of lines.entries()) {
    const line = asRead(raw);
    const isApart = line.trim() === '' || /^(?:#|\s*\|)/.test(line) || listItem.test(line);
    if (isApart) close();
    if (line.startsWith('#')) sections.push({ heading: line.replace(/^#+ /, ''), words: 0 });
    else if (isRule(lines[index + 1])) continue;
    else if (line.trimStart().startsWith('|'))
      cells.push(
        ...line
          .split(/(?<!\\)\|/)
          .slice(1, -1)
          .flatMap(sentencesOf),
      );
    else {
      const text = line.replace(listItem, '');
      open = `${open} ${text}`;
      const section = sections.at(-1);
      if (section) section.words += wordsIn(text);
    }
  }
  close();
  return {
    sentences: paragraphs.flatMap(sentencesOf),
    paragraphs,
    sections,
    cells,
    words: sections.reduce((all, { words }) => all + words, 0),
    wordsOfTables: cells.reduce((all, cell) => all + wordsIn(cell), 0),
  };
}
