import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
const source = join(root, 'lib/panel');

/** A file of the page as browsers ask for it, by its name. */
export type PanelFiles = ReadonlyMap<string, Buffer>;

/** Builds the panel's page: `index.html`, which names the script and the style sheet, and these under names that follow their content. */
export async function buildPanel(): Promise<PanelFiles> {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(source, 'main.tsx'), join(source, 'style.css')],
    absWorkingDir: root,
    outdir: 'dist/panel',
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    write: false,
    metafile: true,
    bundle: true,
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
  const nameOf = (entry: string) => {
    const [path] = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === entry) ?? [];
    if (path === undefined) throw new Error(`nothing was built of ${entry}`);
    return basename(path);
  };
  const page = (await readFile(join(source, 'index.html'), 'utf8'))
    .replace('main.tsx', nameOf('lib/panel/main.tsx'))
    .replace('style.css', nameOf('lib/panel/style.css'));
  return files.set('index.html', Buffer.from(page));
}

/** Writes the page into a folder, every file also as brotli and gzip have it, with a list of what there is. */
export async function writePanel(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const files = await buildPanel();
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
