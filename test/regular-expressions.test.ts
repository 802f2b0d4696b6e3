import { describe, expect, test } from 'vitest';
import { superLinear } from '#test/regular-expressions.ts';

const refused = async (source: string, file = 'lib/example.ts') =>
  (await superLinear(file, source)).map(({ line, expression }) => `${line} ${expression}`);

describe('the check of regular expressions', () => {
  test.each([
    ['quadratic', '/<(br|p)\\b[^>]*>/gi'],
    ['exponential', '/^(a+)+$/'],
    ['quadratic at the end of a text', '/\\s+$/'],
  ])('refuses one that is %s and says where it is', async (_, expression) => {
    expect(
      await refused(`const fine = /^\\d+$/;\n\nexport const slow = (text: string) => ${expression}.test(text);\n`),
    ).toEqual([`3 ${expression}`]);
  });

  test('lets those pass whose time follows the text', async () => {
    expect(await refused('export const tags = /<(br|p)\\b[^<>]*>/gi, ids = /^[a-z]{1,8}-\\d{1,10}$/;')).toEqual([]);
  });

  test('refuses one that is built while a request is served, and lets the build do so', async () => {
    const source = 'export const built = (name: string) => [new RegExp(name), RegExp(name)];';
    expect(await refused(source)).toEqual(['1 /…/', '1 /…/']);
    expect(await refused(source, 'infra/example.ts')).toEqual([]);
  });
});
