#!/usr/bin/env node
import { existsSync } from 'node:fs';

// A package has the bundle (npm run build), a checkout the sources, which the Node that npx finds in its node_modules runs as they are.
const runsSources = existsSync(new URL('./main.ts', import.meta.url)) && process.features.typescript;
const { main } = await import(runsSources ? './main.ts' : './dist/main.js');
process.exitCode = await main(process.argv.slice(2));
