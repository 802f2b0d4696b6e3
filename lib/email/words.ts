import { decodeText, type Hints } from './charset.ts';

const encodedWords = /=\?([^?\s]{1,80})\?([bq])\?([^?]*)\?=(?:[ \t\r\n]+(?==\?[^?\s]{1,80}\?[bq]\?[^?]*\?=))?/gi;

/** A header in which every run of encoded words (RFC 2047) of one charset is one word in UTF-8: a character may be cut by their ends. */
export function joinedWords(header: string, hints: Hints): string {
  if (!header.includes('=?')) return header;
  let run: { label: string; bytes: Buffer[]; end: number } | undefined;
  let made = '';
  let end = 0;
  const finish = () => {
    if (!run) return;
    made += inUtf8(decodeText(Buffer.concat(run.bytes), run.label, { isCut: true, hints }).text);
    run = undefined;
  };
  for (const { 0: word, 1: label = '', 2: kind = '', 3: text = '', index } of header.matchAll(encodedWords)) {
    const [charset = ''] = label.toLowerCase().split('*', 1);
    if (run?.end !== index || run.label !== charset) {
      finish();
      made += header.slice(end, index);
      run = { label: charset, bytes: [], end };
    }
    run.bytes.push(/b/i.test(kind) ? Buffer.from(text, 'base64') : fromQ(text));
    end = index + word.length;
    run.end = end;
  }
  finish();
  return made + header.slice(end);
}

/** Labels of charsets that the words of a header name. */
export const labelsIn = (header: string): string[] =>
  [...header.matchAll(/=\?([^?\s]{1,80})\?[bq]\?/gi)].map(([, label]) => label as string);

const inUtf8 = (text: string) => (text === '' ? '' : `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`);

const fromQ = (text: string) =>
  Buffer.from(
    text
      .replaceAll('_', ' ')
      .replaceAll(/=([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    'latin1',
  );
