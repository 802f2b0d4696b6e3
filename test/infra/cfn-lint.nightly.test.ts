import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { assemblyFolder, readAssembly } from '#test/infra/assembly.ts';

const run = promisify(execFile);

test('cfn-lint has nothing to say of any template', async ({ skip }) => {
  const isThere = await run('cfn-lint', ['--version']).catch(() => undefined);
  if (!isThere) return skip('cfn-lint is not on PATH: pip install cfn-lint==1.58.0');
  const { templates } = await readAssembly(await assemblyFolder('full'));
  const paths = templates.map(({ path }) => path);
  const said = await run('cfn-lint', ['--format', 'parseable', '--', ...paths]).catch(
    (failed: { stdout: string; stderr: string }) => failed,
  );
  expect(paths.length).toBeGreaterThan(2);
  expect(`${said.stdout}${said.stderr}`).toBe('');
}, 120_000);
