import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

interface Stack {
  Resources: Record<string, unknown>;
  Outputs?: Record<string, unknown>;
}

/** A folder of its own that is gone after the tests. */
export function temporaryFolder() {
  const path = mkdtempSync(join(tmpdir(), 'crm-local-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Writes a cloud assembly of these stacks as the CDK does. */
export function writeAssembly(folder: string, stacks: Record<string, Stack>): string {
  mkdirSync(folder, { recursive: true });
  const artifacts: Record<string, unknown> = { Tree: { type: 'cdk:tree' } };
  for (const [name, template] of Object.entries(stacks)) {
    const templateFile = `${name}.template.json`;
    artifacts[name] = { type: 'aws:cloudformation:stack', properties: { templateFile } };
    writeFileSync(join(folder, templateFile), JSON.stringify(template));
  }
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ artifacts }));
  return folder;
}
