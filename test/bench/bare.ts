import type { BuildOptions } from 'esbuild';

/** How functions are bundled, with the SDK as it comes: for the bare ones that ours are measured against. */
export const bareOptions = {
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  mainFields: ['module', 'main'],
  legalComments: 'none',
} satisfies BuildOptions;
