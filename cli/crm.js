#!/usr/bin/env node
import { existsSync } from 'node:fs';

// A package has the bundle, a checkout the sources, which the Node that npx finds in its node_modules runs as they are.
const isCheckout = existsSync(new URL('./main.ts', import.meta.url));
const { main } = await import(isCheckout ? './main.ts' : '../dist/cli/main.js');
process.exitCode = await main(process.argv.slice(2));
