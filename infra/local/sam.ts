import { basename, join } from 'node:path';
import type { Resource } from './template/identities.ts';
import type { Deployment } from './template.ts';
import { readTemplates } from './template.ts';

const bundles = join(import.meta.dirname, '../../dist');
/** How a container calls the machine that runs it. */
const hostName = 'host.docker.internal';

/**
 * The stack of the functions as `sam local` can run it in containers on this running system: every variable with its value,
 * because sam makes what another stack exports empty and knows no variables but the template's, and where `npm run synth`
 * puts the code, because what runs here shares files outside of a function's folder. It has the resources of its nested stacks, but
 * neither these nor the outputs: sam would look for their files.
 */
export function samTemplate(assembly: string, { functions }: Deployment, environment: Record<string, string>): object {
  const endpoints = Object.entries(environment).filter(([name]) => name.startsWith('AWS_'));
  const byName = new Map(functions.map((toRun) => [toRun.name, toRun]));
  const [template] = readTemplates(assembly).flatMap(([stack, { Resources, Outputs: _, ...rest }]) => {
    const own = Object.entries(Resources).filter(([, { Type }]) => Type !== 'AWS::CloudFormation::Stack');
    const resources = own.map(([id, resource]) => {
      const toRun = resource.Type === 'AWS::Lambda::Function' ? byName.get(`${stack}-${id}`) : undefined;
      if (!toRun) return [id, resource] as const;
      const variables = [...endpoints, ...Object.entries(toRun.environment)].map(([name, value]) => [
        name,
        value.replaceAll('//127.0.0.1:', `//${hostName}:`),
      ]);
      const code = join(bundles, basename(toRun.folder));
      return [id, inContainer(resource, Object.fromEntries(variables), code)] as const;
    });
    const runs = resources.some(([, { Type }]) => Type === 'AWS::Lambda::Function');
    return runs ? [{ ...rest, Resources: Object.fromEntries(resources) }] : [];
  });
  if (!template) throw new Error('no stack has functions');
  return template;
}

const inContainer = (resource: Resource, Variables: Record<string, string>, code: string): Resource => ({
  ...resource,
  Properties: {
    ...resource.Properties,
    Architectures: [process.arch === 'arm64' ? 'arm64' : 'x86_64'],
    Environment: { Variables },
  },
  Metadata: { ...resource.Metadata, 'aws:asset:path': code },
});
