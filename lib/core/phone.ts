/** The value of a decimal digit of any script: Unicode has those of one script in a row, from zero on. */
function digitValue(digit: string): string {
  let zero = digit.codePointAt(0) as number;
  const code = zero;
  while (code - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  return String(code - zero);
}

/** Returns the digits of a phone number as numbers are compared: without a trunk zero in brackets, with `00` as the `+` that it means. */
export const phoneDigits = (phone: string): string =>
  phone
    .replace(/\p{Nd}/gu, digitValue)
    .replace(/^(\D*(?:\+|00)[\d\s]*)\(0\)/, '$1')
    .replace(/\D/g, '')
    .replace(/^00/, '');

/** Fewer digits after a zero are no beginning of a number. */
const minDigits = 3;

/** A country code behind `00`, the number itself, and a trunk zero. */
const maxDigits = 20;
const isPart = (word: string) => /^[+()./\-\p{Nd}]+$/u.test(word);

/** Returns the digits of a text that is a phone number and nothing else, or undefined. */
export const wholePhone = (text: string): string | undefined =>
  (text.trim().split(/\s+/).every(isPart) && phoneDigits(text.trim())) || undefined;

function spellingsOf(word: string): string[] {
  if (!/^[+()./-]*\p{Nd}[\p{Nd}+()./-]*$/u.test(word)) return [];
  const digits = phoneDigits(word);
  const significant = digits.replace(/^0/, '');
  return significant.length < minDigits ? [digits] : [digits, significant];
}

/**
 * Returns the spellings by which each word of a search may stand in a phone number, none where it is no part of one. Parts that follow
 * each other are also one number: `020 7946 0999`.
 */
export function phoneSpellings(words: readonly string[]): string[][] {
  const runs: string[][] = [];
  words.forEach((word, index) => {
    const run = index > 0 && isPart(word) && isPart(words[index - 1] as string) ? runs.at(-1) : undefined;
    if (run) run.push(word);
    else runs.push([word]);
  });
  return runs.flatMap((run) => {
    const whole = spellingsOf(run.join(''));
    const ofWhole = (whole[0]?.length ?? 0) > maxDigits ? [] : whole;
    return run.map((word) => [...spellingsOf(word), ...ofWhole]);
  });
}
