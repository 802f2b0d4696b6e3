import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type BuildOptions, build, type Metafile, type OutputFile, type Plugin } from 'esbuild';
import type { FunctionFile } from '#infra/functions.ts';

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
    plugins: [entries(functions), withStandIns, neverLoaded, openApiBeside, usedErrors, sourceMapsOfOurs],
  }) satisfies BuildOptions;

/** What the Lambda imports: the handler, and for endpoints one read that warms the SDK while the function initialises. */
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
      const handler = `export { handler } from ${JSON.stringify(file)};`;
      const prime = `import { prime } from '#lib/http/prime.ts'; await prime();`;
      return { resolveDir: root, contents: domain === 'workers' ? handler : `${handler} ${prime}` };
    });
  },
});

/** What a bundle holds in place of a module that brings more than is used of it. */
const standIns: Record<string, string> = {
  // A Lambda has its credentials in the environment; the chain that also asks profiles, SSO, web identities and instance
  // metadata is 132 KB of every bundle, and SSO's bearer tokens as much again beside Bedrock's client.
  '@aws-sdk/credential-provider-node': `export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';`,
  '@aws-sdk/token-providers': `
    export const nodeProvider = () => async () => { throw new Error('requests are signed, not sent with bearer tokens'); };
    export const fromEnvSigningName = nodeProvider;`,
  // Endpoint discovery is off for DynamoDB; its least-recently-used cache brings 8 KB of data structures.
  '@aws-sdk/endpoint-cache': 'export class EndpointCache extends Map { constructor() { super(); } }',
  // The index also loads fetch, WebSockets, proxies, caches and mocks: 261 KB.
  undici: `
    import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
    import request from 'undici/lib/api/api-request.js';
    Object.assign(Dispatcher.prototype, { request });
    export { default as Agent } from 'undici/lib/dispatcher/agent.js';
    export { default as Client } from 'undici/lib/dispatcher/client.js';
    export { default as buildConnector } from 'undici/lib/core/connect.js';`,
  // The HTML sanitiser has one use for each of these, and requires them whole: 73 KB more. Source maps of style attributes are
  // switched off, as postcss has it for browsers, and dates are none of its business.
  htmlparser2: `export { Parser } from 'htmlparser2';`,
  postcss: `export { default as parse } from 'postcss/lib/parse';`,
  'source-map-js': '',
  dayjs: `export default () => { throw new Error('no dates are sanitised'); };`,
};

const withStandIns: Plugin = {
  name: 'stand-ins',
  setup({ onResolve, onLoad }) {
    const namespace = 'stand-in';
    const filter = new RegExp(`^(${Object.keys(standIns).join('|')})$`);
    onResolve({ filter }, ({ path, resolveDir, namespace: importer }) =>
      importer === namespace ? undefined : { path, namespace, pluginData: resolveDir },
    );
    onLoad({ filter: /.*/, namespace }, ({ path, pluginData }) => ({
      resolveDir: pluginData,
      contents: standIns[path] as string,
    }));
  },
};

// Imports of modules that nothing reaches.
const neverLoaded: Plugin = {
  name: 'never-loaded',
  setup({ onResolve }) {
    // The SDK's for event streams and in browsers; they would be 49 KB beside every function.
    onResolve({ filter: /^(@smithy\/core\/event-streams|bowser)$/ }, ({ path, kind }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    );
    // undici's for bodies that are forms (43 KB) and for processors without SIMD (72 KB).
    onResolve({ filter: /^\.\.\/(web\/|llhttp\/llhttp-wasm)/ }, ({ path, importer }) =>
      importer.includes('/node_modules/undici/') ? { path, external: true } : undefined,
    );
  },
};

/** `#openapi` is not part of the bundle but a file beside it. */
const openApiBeside: Plugin = {
  name: 'openapi-beside',
  setup({ onResolve }) {
    onResolve({ filter: /^#openapi$/ }, () => ({ path: openApiFile, external: true }));
  },
};

// A client knows every error of its service by a class: 9 KB beside each function for DynamoDB, 14 KB more for KMS. Any other
// error is the client's general one, with the same name, message and fault. Kept are those whose contents are read, and the one
// that only its class says to retry.
const usedErrors: Plugin = {
  name: 'used-errors',
  setup({ onLoad }) {
    const unused =
      /^n0_registry\.registerError\((?!(ConditionalCheckFailed|TransactionCanceled|ReplicatedWriteConflict)E).*$/gm;
    onLoad({ filter: /client-(dynamodb|kms)\/dist-es\/schemas\/schemas_0\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll(unused, '') + unmapped,
    }));
  },
};

// Node reads the whole source map at start: mapping the dependencies too makes it 1.5 MB and the import 30 % slower.
const sourceMapsOfOurs: Plugin = {
  name: 'source-maps-of-ours',
  setup({ onLoad }) {
    onLoad({ filter: /node_modules\/.*\.[cm]?js$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')) + unmapped,
    }));
  },
};

const nothing = JSON.stringify({ version: 3, sources: ['.'], sourcesContent: [''], mappings: 'AAAA' });
const unmapped = `\n//# sourceMappingURL=data:application/json;base64,${Buffer.from(nothing).toString('base64')}`;

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
