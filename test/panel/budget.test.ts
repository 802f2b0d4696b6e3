import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { buildPage, type PageName } from '#infra/pages.ts';

const kilobytes = (bytes: number) => bytes / 1024;

test.each<PageName>(['panel', 'docs'])(
  'the first view of /%s/ is at most 60 KB gzip in four requests',
  async (name) => {
    const files = await buildPage(name);
    const page = String(files.get('index.html'));
    const asked = [
      'index.html',
      ...[...page.matchAll(/(?:src|href)="\/(?:panel|docs)\/([^"]+)"/g)].map(([, name]) => name as string),
    ];
    expect(asked.length).toBeLessThanOrEqual(4);
    expect(asked).toEqual(
      expect.arrayContaining(['style', 'main'].map((of) => expect.stringMatching(`^${of}-\\w+\\.`))),
    );
    // What a module imports is asked for as well.
    const needed = asked
      .filter((name) => name.endsWith('.js'))
      .flatMap((name) => [
        ...String(files.get(name)).matchAll(/(?:^|;|})(?:import|export)[^;"'()]*["']\.\/([^"']+)["']/g),
      ])
      .map(([, name]) => name);
    expect(asked).toEqual(expect.arrayContaining(needed));
    const sizes = asked.map((name) => gzipSync(files.get(name) as Buffer).length);
    expect(kilobytes(sizes.reduce((sum, size) => sum + size))).toBeLessThanOrEqual(60);
  },
);

test('the framework is at most 12 KB gzip', async () => {
  const { outputFiles } = await build({
    stdin: {
      resolveDir: import.meta.dirname,
      contents: `
        export * from 'preact';
        export * from 'preact/hooks';
        export * from 'preact/jsx-runtime';
        export * from '@preact/signals';`,
    },
    bundle: true,
    minify: true,
    format: 'esm',
    legalComments: 'none',
    write: false,
  });
  expect(kilobytes(gzipSync(outputFiles[0]?.contents as Uint8Array).length)).toBeLessThanOrEqual(12);
});

test('the same sources give files of the same names', async () => {
  const [once, again] = await Promise.all([buildPage('panel'), buildPage('panel')]);
  expect([...again.keys()]).toEqual([...once.keys()]);
});
