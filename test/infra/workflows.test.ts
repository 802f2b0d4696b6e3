import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

test('workflows that may act in AWS run no action that somebody can put another in the place of', () => {
  const used = globSync('.github/workflows/*.yml', { cwd: root }).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/^\s*(?:- )?uses: (.+)$/gm)].map(([, action]) => action ?? ''),
  );
  expect(used.length).toBeGreaterThan(5);
  expect(used.filter((action) => !/^[\w./-]+@[\da-f]{40} # v[\d.]+$/.test(action))).toEqual([]);
});
