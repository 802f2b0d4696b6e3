import { readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { listFunctions } from '#infra/functions.ts';
import { pascalCase } from '#infra/names.ts';
import { place } from '#test/place.ts';

interface Resource {
  Type: string;
  Properties: { Architectures: string[]; Handler: string; Environment: { Variables: Record<string, unknown> } };
  Metadata: Record<string, string>;
}

const path = join(place('dataDir'), 'sam-template.json');
const { Resources } = JSON.parse(readFileSync(path, 'utf8')) as { Resources: Record<string, Resource> };
const functions = Object.entries(Resources).filter(([, { Type }]) => Type === 'AWS::Lambda::Function');

test('the template for sam local has every function, each with the code that npm run synth bundles', () => {
  expect(functions.map(([id]) => id).sort()).toEqual(
    listFunctions()
      .map(({ name }) => pascalCase(name))
      .sort(),
  );
  for (const [id, { Metadata, Properties }] of functions) {
    expect(pascalCase(basename(Metadata['aws:asset:path'] as string)), id).toBe(id);
    expect(Metadata['aws:asset:property'], id).toBe('Code');
    expect(Properties.Architectures, id).toEqual([process.arch === 'arm64' ? 'arm64' : 'x86_64']);
  }
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('it asks sam for no other template', () => {
  expect(Object.values(Resources).filter(({ Type }) => Type === 'AWS::CloudFormation::Stack')).toEqual([]);
});

test('every variable has the value that it has on this system, reached from a container', () => {
  const environment = inject('environment');
  for (const [id, { Properties }] of functions) {
    const { NODE_OPTIONS: _, ...variables } = Properties.Environment.Variables;
    for (const name of ['TABLE_NAME', 'AWS_ACCESS_KEY_ID', 'AWS_ENDPOINT_URL_DYNAMODB', 'AWS_ENDPOINT_URL_SQS'])
      expect(variables, id).toHaveProperty(name);
    // In a container loopback is its own, where the runtime interface listens.
    expect(variables, id).not.toHaveProperty('WEBHOOK_LOOPBACK');
    for (const [name, value] of Object.entries(variables))
      expect(value, `${id} ${name}`).toBe(environment[name]?.replace('//127.0.0.1:', '//host.docker.internal:'));
  }
});
