import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import manifest from '../../cli/package.json' with { type: 'json' };

const run = promisify(execFile);
const program = join(import.meta.dirname, '../../cli/crm.js');

test.each(['--version', '-V'])('the command line says its version when it is asked by %s', async (option) => {
  const { stdout } = await run(process.execPath, [program, option]);
  expect(stdout.trim()).toBe(manifest.version);
});
