import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { assemblyFolder, readAssembly } from '#test/infra/assembly.ts';

/** Where cfn-lint is: `npm run test:oracles` finds one that is on PATH. */
const cfnLint = process.env['CFN_LINT'];

test('cfn-lint has nothing to say of any template', async ({ skip }) => {
  if (!cfnLint) return skip('CFN_LINT names no cfn-lint: npm run test:oracles looks for one');
  const { templates } = await readAssembly(await assemblyFolder('full'));
  const paths = templates.map(({ path }) => path);
  const said = await promisify(execFile)(cfnLint, ['--format', 'parseable', '--', ...paths]).catch(
    (failed: { stdout: string; stderr: string }) => failed,
  );
  expect(paths.length).toBeGreaterThan(2);
  expect(`${said.stdout}${said.stderr}`).toBe('');
}, 120_000);
