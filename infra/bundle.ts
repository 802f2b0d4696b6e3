import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type BuildOptions, build, type Metafile, type OutputFile, type Plugin } from 'esbuild';
import type { FunctionFile } from '#infra/functions.ts';
import { dependencyStubs, unmapped } from './bundle/stubs.ts';

const root = join(import.meta.dirname, '..');
const openApiFile = './openapi.json';

export interface BundleSettings {
  /**
   * Functions share chunks. That builds 120 functions in 2 s of CPU instead of 20 s, but each then carries what others need of the
   * files that they share: 20 to 30 % more bytes.
   */
  splitting?: boolean;
}

/**
 * Bundles every function in one esbuild call and gives each a folder of its own under `outdir`: `<name>/index.mjs`, its source
 * map and, with splitting, its chunks.
 */
export async function bundleFunctions(
  functions: readonly FunctionFile[],
  outdir: string,
  { splitting = false }: BundleSettings = {},
): Promise<void> {
  await rm(outdir, { recursive: true, force: true });
  const built = await build({ ...options(functions), splitting });
  await Promise.all(functions.map(({ name }) => assemble(built, name, outdir)));
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
    plugins: [entries(functions), ...dependencyStubs, openApiBeside, sourceMapsOfOurs],
  }) satisfies BuildOptions;

/** What the Lambda imports: the handler, and for endpoints what warms it while the function initialises. */
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
  const contents = new Map(outputFiles.map(({ path, text }) => [path, text]));
  const entry = `dist/function/${name}.mjs`;
  const { paths, readsOpenApi } = reachable(metafile, entry);
  await mkdir(join(outdir, name), { recursive: true });
  await Promise.all(
    paths.flatMap((path) => {
      const file = path === entry ? 'index.mjs' : basename(path);
      const [code, map] = [path, `${path}.map`].map((output) => contents.get(join(root, output)));
      return [
        writeFile(join(outdir, name, file), `${code}//# sourceMappingURL=${file}.map\n`),
        writeFile(join(outdir, name, `${file}.map`), `${map}`),
      ];
    }),
  );
  if (readsOpenApi) await writeFile(join(outdir, name, openApiFile), await compactOpenApi());
}

const compactOpenApi = async () => JSON.stringify(JSON.parse(await readFile(join(root, openApiFile), 'utf8')));

/** The outputs that an entry needs, itself included. */
function reachable({ outputs }: Metafile, entry: string) {
  const paths = new Set([entry]);
  let readsOpenApi = false;
  for (const path of paths) {
    for (const { path: imported, external } of outputs[path]?.imports ?? []) {
      if (imported === openApiFile) readsOpenApi = true;
      if (!external) paths.add(imported);
    }
  }
  return { paths: [...paths], readsOpenApi };
}
