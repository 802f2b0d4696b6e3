import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { buildPage, type PageFiles, type PageName } from '#infra/pages.ts';

const kilobytes = (bytes: number) => bytes / 1024;

/** The files that a page asks for at once, by its own `index.html`. */
const askedBy = (page: string) => [
  'index.html',
  ...[...page.matchAll(/(?:src|href)="\/(?:panel|docs)\/([^"]+)"/g)].map(([, name]) => name as string),
];

/** What a file imports, and what these import; dynamic imports left out. */
function withImports(files: PageFiles, name: string, known = new Set<string>()): Set<string> {
  if (known.has(name)) return known;
  known.add(name);
  if (name.endsWith('.js'))
    for (const [, next] of String(files.get(name)).matchAll(/(?:^|;|})(?:import|export)[^;"'()]*["']\.\/([^"']+)["']/g))
      withImports(files, next as string, known);
  return known;
}

const sizeOf = (files: PageFiles, names: Iterable<string>) =>
  kilobytes([...names].reduce((sum, name) => sum + gzipSync(files.get(name) as Buffer).length, 0));

/** The texts of each language; the page asks for those of one. */
const languagesIn = (files: PageFiles) => [...files.keys()].filter((name) => /^(en|de)-/.test(name));

/** The areas of texts that load with some page of a file. */
const areas: Record<string, RegExp> = { work: /^(filters|sheets|palette)\./, 'set-up': /^(developers|settings)\./ };

const areasOf = (files: PageFiles, page: string, language: string) =>
  [...files.keys()].filter((name) => areas[page]?.test(name) && name.includes(`.${language.slice(0, 2)}-`));

test.each<PageName>(['panel', 'docs'])('the first view of /%s/ is at most 60 KB gzip in six requests', async (name) => {
  const files = await buildPage(name);
  const asked = askedBy(String(files.get('index.html')));
  expect(asked.length).toBeLessThanOrEqual(6);
  expect(asked).toEqual(expect.arrayContaining(['style', 'main'].map((of) => expect.stringMatching(`^${of}-\\w+\\.`))));
  const needed = asked.flatMap((of) => [...withImports(files, of)]);
  expect(asked).toEqual(expect.arrayContaining(needed));
  const largestTexts = Math.max(0, ...languagesIn(files).map((language) => sizeOf(files, [language])));
  expect(sizeOf(files, asked) + largestTexts).toBeLessThanOrEqual(60);
});

test('a link to any page of the panel loads at most 140 KB gzip in every language', async () => {
  const files = await buildPage('panel');
  const asked = askedBy(String(files.get('index.html')));
  const languages = languagesIn(files);
  expect(languages.length).toBe(2);
  for (const page of ['work', 'set-up']) {
    const code = [...files.keys()].find((name) => name.startsWith(`${page}-`)) as string;
    for (const language of languages) {
      const texts = [language, ...areasOf(files, page, language)];
      expect(texts.length).toBeGreaterThan(2);
      const all = new Set([...asked, ...texts, ...withImports(files, code)]);
      expect(sizeOf(files, all), `${page} with ${language}`).toBeLessThanOrEqual(140);
    }
  }
});

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
