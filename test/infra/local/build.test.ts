import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { sourceFolders } from '#infra/local/build.ts';

test('a build is made again after a change in any folder that the pages are made of', async () => {
  const { metafile } = await build({
    entryPoints: ['panel/main.tsx', 'panel/reference/main.tsx', 'panel/style.css'],
    absWorkingDir: join(import.meta.dirname, '../../..'),
    outdir: 'dist',
    write: false,
    metafile: true,
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: 'preact',
  });
  const folders = Object.keys(metafile.inputs).map((path) => path.split('/')[0]);
  const own = new Set(folders.filter((folder) => folder !== 'node_modules'));
  expect(own).toContain('panel');
  expect([...own].filter((folder) => !sourceFolders.includes(folder as string))).toEqual([]);
});
