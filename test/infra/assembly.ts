import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { synthesise } from '#infra/synth.ts';

interface Resource {
  Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template holds anything; a test asserts what it is.
  Properties: any;
  Metadata?: Record<string, string>;
}

interface Template {
  Resources: Record<string, Resource>;
}

/** The templates and assets as `npm run synth` makes them, in a folder of their own. */
export async function synthesised() {
  const folder = await mkdtemp(join(tmpdir(), 'crm-synth-'));
  const outdir = join(folder, 'cdk.out');
  await synthesise({ outdir, bundles: join(folder, 'dist') });
  const read = async (stack: string) => {
    const path = join(outdir, `${stack}.template.json`);
    const text = await readFile(path, 'utf8');
    return { stack, path, text, template: JSON.parse(text) as Template };
  };
  const templates = await Promise.all(['CrmData', 'CrmApi'].map(read));
  const resources = Object.assign({}, ...templates.map(({ template }) => template.Resources)) as Template['Resources'];
  const ofType = (type: string) => Object.entries(resources).filter(([, resource]) => resource.Type === type);
  return { outdir, templates, resources, ofType, remove: () => rm(folder, { recursive: true }) };
}
