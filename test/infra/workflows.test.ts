import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

test('every action of a workflow is pinned to a commit', () => {
  const used = globSync('.github/workflows/*.yml', { cwd: root }).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/^\s*(?:- )?uses: (.+)$/gm)].map(([, action]) => action ?? ''),
  );
  expect(used.length).toBeGreaterThan(5);
  expect(used.filter((action) => !/^[\w./-]+@[\da-f]{40} # v[\d.]+$/.test(action))).toEqual([]);
});
