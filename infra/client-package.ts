import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Format } from 'esbuild';

const client = join(import.meta.dirname, '../client');
const dist = join(client, 'dist');

const bundle = (format: Format, name: string) =>
  build({
    entryPoints: [join(client, 'index.ts')],
    outfile: join(dist, name),
    format,
    bundle: true,
    minify: true,
    sourcemap: true,
    target: 'es2022',
  });

// The types are written once, by tsc, as those of the CommonJS module: an ES module can name them, but not the reverse.
await rm(dist, { recursive: true, force: true });
await mkdir(dist);
await Promise.all([
  bundle('esm', 'index.mjs'),
  bundle('cjs', 'index.js'),
  writeFile(join(dist, 'index.d.mts'), "export * from './index.js';\n"),
  writeFile(join(dist, 'package.json'), '{"type": "commonjs"}\n'),
]);
