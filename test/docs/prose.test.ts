import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { pages, root } from './pages.ts';
import { isBanned, measureProse, wordsIn } from './prose.ts';

const measured = pages.map((page) => ({ page, prose: measureProse(readFileSync(join(root, page), 'utf8')) }));

const longerThan = (bound: number, texts: readonly string[]) => texts.filter((text) => wordsIn(text) > bound);

describe.each(measured)('$page', ({ prose }) => {
  test('has at most 15 words in a sentence on average', () => {
    const words = prose.sentences.reduce((all, sentence) => all + wordsIn(sentence), 0);
    expect(words / prose.sentences.length).toBeLessThanOrEqual(15);
  });

  test('has at most 5 % of its sentences above 25 words, and none above 40', () => {
    const long = longerThan(25, prose.sentences);
    expect(long.length / prose.sentences.length, long.join('\n')).toBeLessThanOrEqual(0.05);
    expect(longerThan(40, [...prose.sentences, ...prose.cells])).toEqual([]);
  });

  test('has no paragraph above 80 words', () => {
    expect(longerThan(80, prose.paragraphs)).toEqual([]);
  });

  test('has a heading at least every 150 words', () => {
    expect(prose.sections.filter(({ words }) => words > 150)).toEqual([]);
  });

  test('begins no sentence with a clause as its subject', () => {
    expect([...prose.sentences, ...prose.cells].filter(isBanned)).toEqual([]);
  });
});

/** Generated, with a row for each kind of item. */
const generated = ['docs/table.md'];

test.each(measured.filter(({ page }) => !generated.includes(page)))('$page has at most 1,500 words', ({ prose }) => {
  expect(prose.words + prose.wordsOfTables).toBeLessThanOrEqual(1500);
});

test('all pages together have at most 25,000 words', () => {
  expect(measured.reduce((all, { prose }) => all + prose.words, 0)).toBeLessThanOrEqual(25_000);
});

test.each([
  ['One idea. Another one.', 2],
  ['Run this: Then stop.', 2],
  ['Run this: then stop.', 1],
  ['It answers 503. `Retry-After` says when.', 2],
  ['See [the page. It helps](x.md) first.', 2],
  ['- One item\n- Another item', 2],
  ['```sh\nnpm ci. Npm start.\n```\nOne sentence.', 1],
  ['| a. B | c |\n|---|---|\n\nOne sentence.', 1],
])('the measure finds the sentences of %j', (text, count) => {
  expect(measureProse(text).sentences).toHaveLength(count);
});
