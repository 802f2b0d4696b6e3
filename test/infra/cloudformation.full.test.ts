import { RegoEngine, TemplateFile } from '@aws/cloudformation-validate';
import { expect, test } from 'vitest';
import { assemblyFolder, readAssembly } from '#test/infra/assembly.ts';

test('CloudFormation would accept every template without a warning', async () => {
  const { templates } = await readAssembly(await assemblyFolder('full'));
  const engine = new RegoEngine();
  try {
    for (const { path } of templates) {
      const { status, diagnostics } = engine.validateStandard(new TemplateFile(path), { severityLevel: 'WARN' });
      expect({ status, diagnostics }).toEqual({ status: 'OK', diagnostics: [] });
    }
  } finally {
    engine.free();
  }
});
