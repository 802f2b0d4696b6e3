import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(join(import.meta.dirname, '../../panel', path), 'utf8');

/** The classes that a sheet gives a look of its own: the rules of one class and nothing else. */
const ownClasses = (sheet: string) =>
  new Set([...sheet.matchAll(/(?<=^|[},/]\s*)\.([\w-]+)(?=\s*[,{])/g)].map(([, name]) => name as string));

test('no class has a rule in the panel’s style sheet and another in the reference’s', () => {
  const panel = ownClasses(read('style.css'));
  expect(panel.has('beside')).toBe(true);
  expect([...ownClasses(read('reference/style.css'))].filter((name) => panel.has(name))).toEqual([]);
});
