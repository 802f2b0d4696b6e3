import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildApp } from '#infra/app.ts';
import { loadRoutes, loadWorkers } from '#infra/functions.ts';
import { synthesise } from '#infra/synth.ts';

interface Resource {
  Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template holds anything; a test asserts what it is.
  Properties: any;
  Metadata?: Record<string, string>;
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
}

interface Template {
  Resources: Record<string, Resource>;
  Outputs?: object;
  Parameters?: object;
}

/** The templates and assets as `npm run synth` makes them with an event bus and a sender of mail, in a folder of their own. */
export async function synthesised() {
  const folder = await mkdtemp(join(tmpdir(), 'crm-synth-'));
  const outdir = join(folder, 'cdk.out');
  const settings = { eventBus: 'events-of-the-crm', MAIL_FROM: 'crm@example.com' };
  await synthesise({ outdir, bundles: join(folder, 'dist'), settings });
  const read = async (file: string) => {
    const path = join(outdir, file);
    const text = await readFile(path, 'utf8');
    return { stack: file.split('.')[0] as string, path, text, template: JSON.parse(text) as Template };
  };
  const files = await readdir(outdir);
  const templates = await Promise.all(files.filter((file) => file.endsWith('.template.json')).map(read));
  const resources = Object.assign({}, ...templates.map(({ template }) => template.Resources)) as Template['Resources'];
  // A nested stack is given what it refers to: seen as one with its parent, it refers to that itself.
  const given = Object.values(resources).flatMap(({ Type, Properties }) =>
    Type === 'AWS::CloudFormation::Stack' ? Object.entries(Properties.Parameters) : [],
  );
  const parameters = new Map(given.map(([name, value]) => [JSON.stringify({ Ref: name }), JSON.stringify(value)]));
  for (const [id, resource] of Object.entries(resources))
    resources[id] = JSON.parse(
      JSON.stringify(resource).replaceAll(/\{"Ref":"\w+"\}/g, (reference) => parameters.get(reference) ?? reference),
    );
  const ofType = (type: string) => Object.entries(resources).filter(([, resource]) => resource.Type === type);
  return { outdir, templates, resources, ofType, remove: () => rm(folder, { recursive: true }) };
}

/** The app with this context, its functions without their code: quick, for what does not look at it. `outdir` is filled by `app.synth()`. */
export async function appWithoutCode(context: Record<string, string>) {
  const folder = await mkdtemp(join(tmpdir(), 'crm-app-'));
  const [routes, workers] = await Promise.all([loadRoutes(), loadWorkers()]);
  const [bundles, outdir] = [join(folder, 'dist'), join(folder, 'cdk.out')];
  for (const { name } of [...routes, ...workers]) {
    await mkdir(join(bundles, name), { recursive: true });
    await writeFile(join(bundles, name, 'index.mjs'), `// the code of ${name}`);
  }
  const withPaths = { 'aws:cdk:enable-asset-metadata': true, ...context };
  const app = buildApp({ routes, workers, bundles, context: withPaths, outdir });
  return { app, outdir, remove: () => rm(folder, { recursive: true }) };
}
