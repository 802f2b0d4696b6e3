import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'esbuild';
import type { Document } from '#panel/document/document.ts';
import { llmsText } from './reference/llms.ts';
import { postmanCollection } from './reference/postman.ts';

const root = join(import.meta.dirname, '..');

/** Files as browsers ask for them, by their names. */
export type PageFiles = ReadonlyMap<string, Buffer>;

/** Where a page's `index.html` and `main.tsx` are; the style sheet is one for all. */
const sources = { panel: 'panel', docs: 'panel/reference' };
const styleSheet = 'panel/style.css';

export type PageName = keyof typeof sources;

/** Builds a page: `index.html`, which names the script, what it imports and the style sheet, and these under names that follow their content. */
export async function buildPage(page: PageName): Promise<PageFiles> {
  const source = sources[page];
  const { outputFiles, metafile } = await build({
    entryPoints: [join(root, source, 'main.tsx'), join(root, styleSheet)],
    absWorkingDir: root,
    outdir: `dist/${page}`,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    write: false,
    metafile: true,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  const files = new Map(outputFiles.map(({ path, contents }) => [basename(path), Buffer.from(contents)]));
  const builtOf = (entry: string) => {
    const found = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === entry);
    if (!found) throw new Error(`nothing was built of ${entry}`);
    const [path, { imports }] = found;
    const needed = imports.filter(({ kind }) => kind === 'import-statement').map((needs) => basename(needs.path));
    return { name: basename(path), needed };
  };
  const script = builtOf(`${source}/main.tsx`);
  // The browser need not read the script first to see what it imports.
  const preloads = script.needed.map((name) => `<link rel="modulepreload" href="/${page}/${name}" />`);
  const html = (await readFile(join(root, source, 'index.html'), 'utf8'))
    .replace('main.tsx', script.name)
    .replace('style.css', builtOf(styleSheet).name)
    .replace('</head>', `${preloads.join('')}</head>`);
  return files.set('index.html', Buffer.from(html));
}

/** Writes every page into a folder of its name; the reference with what is made of the OpenAPI document and of our texts. */
export async function writePages(folder: string): Promise<void> {
  const [panel, docs, texts] = await Promise.all([buildPage('panel'), buildPage('docs'), referenceTexts()]);
  await writeFiles(join(folder, 'panel'), panel);
  await writeFiles(join(folder, 'docs'), new Map([...docs, ...texts]));
}

async function referenceTexts(): Promise<PageFiles> {
  const read = (path: string) => readFile(join(root, path));
  const document = JSON.parse(String(await read('openapi.json'))) as Document;
  return new Map([
    ['llms.txt', Buffer.from(llmsText(document))],
    ['postman.json', Buffer.from(postmanCollection(document))],
    ['mcp.md', await read('docs/mcp.md')],
    ['changelog.md', await read('CHANGELOG.md')],
  ]);
}

/** Writes files into a folder, every one also as brotli and gzip have it, with a list of what there is. */
export async function writeFiles(folder: string, files: PageFiles): Promise<void> {
  await mkdir(folder, { recursive: true });
  const listed = await Promise.all(
    [...files].map(async ([name, content]) => {
      const [brotli, gzipped] = await Promise.all([packBrotli(content), packGzip(content)]);
      await writeFile(join(folder, name), content);
      await writeFile(join(folder, `${name}.br`), brotli);
      await writeFile(join(folder, `${name}.gz`), gzipped);
      return [name, createHash('sha256').update(content).digest('hex').slice(0, 16)] as const;
    }),
  );
  await writeFile(join(folder, 'files.json'), JSON.stringify(Object.fromEntries(listed.sort())));
}

const packGzip = (content: Buffer) => promisify(gzip)(content, { level: 9 });
const packBrotli = (content: Buffer) =>
  promisify(brotliCompress)(content, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
  });
