import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (page: string) => readFileSync(join(root, page), 'utf8');
const enforced = read('docs/aws-rules.md');
const missing = read('docs/aws-gaps.md');

/** The cells of the rows of all tables, without their heads. */
const rowsOf = (text: string) =>
  (text.match(/(?:^\|.*\|$\n?)+/gm) ?? []).flatMap((table) =>
    table
      .trim()
      .split('\n')
      .slice(2)
      .map((line) =>
        line
          .slice(1, -1)
          .split(' | ')
          .map((cell) => cell.trim()),
      ),
  );
const codeIn = (text = '') => [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
const isThere = (path: string) => existsSync(join(root, path));

test('every rule that is enforced has a page of AWS, a place and a test, and these are there', () => {
  const rows = rowsOf(enforced);
  expect(rows.length).toBeGreaterThan(25);
  for (const [rule = '', source, where = '', tests, ...more] of rows) {
    expect(more, rule).toEqual([]);
    expect(source, rule).toMatch(/^`[\w-]+\/[\w/-]+\/[\w./-]+\.html`$/);
    const places = codeIn(where).filter((code) => code.includes('/'));
    if (!/^(the engine|of every template)$/.test(where)) expect(places.length, rule).toBeGreaterThan(0);
    expect(
      places.filter((path) => !isThere(path)),
      rule,
    ).toEqual([]);
    const named = codeIn(tests);
    expect(named.length, rule).toBeGreaterThan(0);
    expect(
      named.filter((path) => !/^test\/.+\.test\.ts$/.test(path) || !isThere(path)),
      rule,
    ).toEqual([]);
  }
});

test('every rule that is not enforced says what that means', () => {
  const rows = rowsOf(missing);
  expect(rows.length).toBeGreaterThan(10);
  for (const [rule = '', means = '', ...more] of rows) {
    expect(more, rule).toEqual([]);
    expect(means.length, rule).toBeGreaterThan(20);
    expect(
      codeIn(means).filter((code) => code.includes('/') && !isThere(code)),
      rule,
    ).toEqual([]);
  }
});
