import { globSync, readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';

/** How many casts a folder may have, `as const` aside, per 1,000 lines: what the compiler is told instead of seeing it. */
const ceilings = { 'lib/http': 14, 'lib/table': 49 / 3 };

interface Node {
  type: string;
  typeAnnotation?: { type: string; typeName?: { name?: string } };
}

const isCast = ({ type, typeAnnotation }: Node) =>
  (type === 'TSAsExpression' && typeAnnotation?.typeName?.name !== 'const') || type === 'TSNonNullExpression';

function castsIn(file: string, text: string): number {
  let casts = 0;
  JSON.stringify(parseSync(file, text).program, (_, value) => {
    if (value?.type && isCast(value)) casts += 1;
    return typeof value === 'bigint' ? null : value;
  });
  return casts;
}

test.each(Object.entries(ceilings))('%s has at most %d casts per 1,000 lines', (folder, ceiling) => {
  const files = globSync(`${folder}/**/*.ts`).map((file) => [file, readFileSync(file, 'utf8')] as const);
  const lines = files.reduce((sum, [, text]) => sum + text.split('\n').length - 1, 0);
  const casts = files.map(([file, text]) => [file, castsIn(file, text)] as const).filter(([, count]) => count > 0);
  const total = casts.reduce((sum, [, count]) => sum + count, 0);
  expect((total * 1000) / lines, JSON.stringify(casts)).toBeLessThanOrEqual(ceiling);
});
