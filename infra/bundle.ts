import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type BuildOptions, build, type Metafile, type OutputFile, type Plugin } from 'esbuild';
import type { FunctionFile } from '#infra/functions.ts';
import { writeFiles, writePages } from '#infra/pages.ts';
import { standIns, unmapped } from './bundle/stubs.ts';

const root = join(import.meta.dirname, '..');
const openApiFile = './openapi.json';
/** Writers of the extra files of a function, by the function's name. */
export const besides: Record<string, (folder: string) => Promise<void>> = {
  'panel-pages': (folder) => writePages(join(folder, 'pages')),
  'openapi-get': async (folder) =>
    writeFiles(join(folder, 'document'), new Map([['openapi.json', Buffer.from(await compactOpenApi())]])),
};

export interface BundleSettings {
  /**
   * Functions share chunks, which lie beside them in a folder `shared`: 120 functions are built in 2 s of CPU instead of 20 s, and a
   * thread that runs several of them loads each chunk once. A function needs more of them than it would carry: 20 to 30 % more bytes.
   */
  splitting?: boolean;
}

/**
 * Bundles every function in one esbuild call and gives each a folder of its own under `outdir`: `<name>/index.mjs` with its source
 * map.
 */
export async function bundleFunctions(
  functions: readonly FunctionFile[],
  outdir: string,
  { splitting = false }: BundleSettings = {},
): Promise<void> {
  await rm(outdir, { recursive: true, force: true });
  const built = await build({ ...options(functions), splitting });
  if (splitting) await assembleShared(built, functions, outdir);
  else await Promise.all(functions.map(({ name }) => assemble(built, name, outdir)));
}

interface Built {
  outputFiles: OutputFile[];
  metafile: Metafile;
}

const options = (functions: readonly FunctionFile[]) =>
  ({
    entryPoints: functions.map(({ name }) => ({ in: `function:${name}`, out: name })),
    absWorkingDir: root,
    // As deep as the folders that are made of it, so that the relative paths of the source maps hold.
    outdir: 'dist/function',
    outExtension: { '.js': '.mjs' },
    write: false,
    metafile: true,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    minify: true,
    legalComments: 'none',
    sourcemap: 'external',
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    // Tells undici that it is bundled, and need not bring the parser that it tries out: 166 KB.
    define: { esbuildDetection: 'true' },
    plugins: [entries(functions), standIns, openApiBeside, sourceMapsOfOurs],
  }) satisfies BuildOptions;

/** Returns the plugin that makes entry files: the handler, and for endpoints the code that warms it while the function starts. */
const entries = (functions: readonly FunctionFile[]): Plugin => ({
  name: 'entries',
  setup({ onResolve, onLoad }) {
    const files = new Map(functions.map((of) => [of.name, of]));
    onResolve({ filter: /^function:/ }, ({ path }) => ({
      path: path.slice('function:'.length),
      namespace: 'function',
    }));
    onLoad({ filter: /.*/, namespace: 'function' }, ({ path }) => {
      const { file, domain } = files.get(path) as FunctionFile;
      const handler = `import { handler } from ${JSON.stringify(file)}; export { handler };`;
      const prime = `import { prime } from '#lib/http/prime.ts'; await prime(handler);`;
      return { resolveDir: root, contents: domain === 'workers' ? handler : `${handler} ${prime}` };
    });
  },
});

/** `#openapi` is not part of the bundle but a file beside it. */
const openApiBeside: Plugin = {
  name: 'openapi-beside',
  setup({ onResolve }) {
    onResolve({ filter: /^#openapi$/ }, () => ({ path: openApiFile, external: true }));
  },
};

// Node reads the whole source map at start: mapping the dependencies too makes it 1.5 MB and the import 30 % slower.
const sourceMapsOfOurs: Plugin = {
  name: 'source-maps-of-ours',
  setup({ onLoad }) {
    onLoad({ filter: /\.[cm]?js$/ }, async ({ path }) =>
      path.includes('/node_modules/') ? { contents: (await readFile(path, 'utf8')) + unmapped } : undefined,
    );
  },
};

async function assemble({ outputFiles, metafile }: Built, name: string, outdir: string): Promise<void> {
  const entry = `dist/function/${name}.mjs`;
  const folder = join(outdir, name);
  await mkdir(folder, { recursive: true });
  const [code, map] = [entry, `${entry}.map`].map((path) => outputFiles.find((file) => file.path === join(root, path)));
  await writeFile(join(folder, 'index.mjs'), `${code?.text}//# sourceMappingURL=index.mjs.map\n`);
  await writeFile(join(folder, 'index.mjs.map'), `${map?.text}`);
  const readsOpenApi = metafile.outputs[entry]?.imports.some(({ path }) => path === openApiFile);
  if (readsOpenApi) await writeFile(join(folder, openApiFile), await compactOpenApi());
  if (metafile.outputs[entry]?.inputs[`${wasmFolder}/index.js`]) await copyWasm(folder);
  await besides[name]?.(folder);
}

async function assembleShared(
  { outputFiles }: Built,
  functions: readonly FunctionFile[],
  outdir: string,
): Promise<void> {
  const shared = join(outdir, 'shared');
  await mkdir(shared, { recursive: true });
  for (const { path, text } of outputFiles) {
    const file = basename(path);
    const end = file.endsWith('.map') ? '' : `//# sourceMappingURL=${file}.map\n`;
    await writeFile(join(shared, file), `${text}${end}`);
  }
  await writeFile(join(shared, openApiFile), await compactOpenApi());
  await copyWasm(shared);
  for (const { name } of functions) await besides[name]?.(shared);
  for (const { name } of functions) {
    await mkdir(join(outdir, name), { recursive: true });
    await writeFile(join(outdir, name, 'index.mjs'), `export * from '../shared/${name}.mjs';\n`);
  }
}

const wasmFolder = 'node_modules/@mtcute/wasm';
const wasmFile = 'mtcute-simd.wasm';
/** Puts mtcute's WebAssembly where its module looks for it. */
const copyWasm = (folder: string) => copyFile(join(root, wasmFolder, wasmFile), join(folder, wasmFile));

const compactOpenApi = async () => JSON.stringify(JSON.parse(await readFile(join(root, openApiFile), 'utf8')));
