import { beforeAll, expect, test } from 'vitest';
import { readTemplates } from '#infra/local/template.ts';
import { assemblyFolder, type Variant } from '#test/infra/assembly.ts';

interface Resource {
  Type: string;
  Properties?: Record<string, unknown>;
  DeletionPolicy?: string;
}

interface Template {
  Resources: Record<string, Resource>;
  Outputs?: Record<string, { Export?: object }>;
}

const templatesOf = async (variant: Variant) =>
  readTemplates(await assemblyFolder(variant)) as unknown as [stack: string, Template][];

let now: [stack: string, Template][];
beforeAll(async () => {
  now = await templatesOf('full');
});

/** The resources whose name the template fixes, by type and name; a name of a zone may have records of several types. */
const namedIn = (templates: readonly [string, Template][]) =>
  templates
    .flatMap(([, { Resources }]) => Object.values(Resources))
    .flatMap((resource) => {
      const { Type, Properties = {} } = resource;
      const name = Properties['Name'] ?? Properties[`${Type.split('::').at(-1)}Name`];
      return typeof name === 'string' && !name.startsWith('$')
        ? [{ resource, name: `${Type} ${name} ${Properties['Type'] ?? ''}` }]
        : [];
    });

test('the data is deployed first, and its outputs that the API reads are there', () => {
  const [[first, data], [second, api]] = now as [[string, Template], [string, Template]];
  expect([first, second, now.length]).toEqual(['CrmData', 'CrmApi', 2]);
  const reads = /"Fn::GetStackOutput":\{"StackName":"(\w+)",(?:"Region":\{[^}]+\},)?"OutputName":"(\w+)"/g;
  const read = [...JSON.stringify(api).matchAll(reads)].map(([, stack, output]) => [stack, output]);
  expect(read.length).toBeGreaterThan(2);
  expect(read.filter(([stack, output]) => stack !== first || !data.Outputs?.[`${output}`])).toEqual([]);
});

test('nothing is exported, which would lock the data to those that import it', () => {
  for (const [stack, template] of now) {
    expect(JSON.stringify(template), stack).not.toContain('Fn::ImportValue');
    expect(Object.values(template.Outputs ?? {}).filter(({ Export }) => Export)).toEqual([]);
  }
});

test('nothing that stays when its stack goes has a name, which a second creation would find taken', () => {
  const named = namedIn(now);
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(({ resource }) => /^Retain/.test(resource.DeletionPolicy ?? ''))).toEqual([]);
});

test('no stage takes a name of another one, nor twice', async () => {
  const stages = await Promise.all([now, templatesOf('dev'), templatesOf('prod')]);
  const names = stages.flatMap((templates) => namedIn(templates).map(({ name }) => name));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

/** What replaces a resource that holds data when it changes (CloudFormation's reference, "Update requires: Replacement"). */
const createOnly: Record<string, readonly string[]> = {
  'AWS::DynamoDB::Table': ['TableName', 'KeySchema', 'LocalSecondaryIndexes', 'ImportSourceSpecification'],
  'AWS::S3::Bucket': ['BucketName', 'ObjectLockEnabled'],
  'AWS::KMS::Key': ['KeySpec', 'MultiRegion', 'Origin'],
};

test.each(['bare', 'restored'] as const)('no data is made anew or goes with the settings of %s', async (variant) => {
  const holding = (templates: readonly [string, Template][]) =>
    Object.fromEntries(
      templates.flatMap(([stack, { Resources }]) =>
        Object.entries(Resources).flatMap(([id, { Type, Properties = {} }]) =>
          Type in createOnly ? [[`${stack}/${id}`, createOnly[Type]?.map((name) => Properties[name])]] : [],
        ),
      ),
    );
  const before = holding(now);
  expect(Object.keys(before).length).toBeGreaterThan(2);
  expect(holding(await templatesOf(variant))).toMatchObject(before);
});
