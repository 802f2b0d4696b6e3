import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CloudAssembly } from 'aws-cdk-lib/cx-api';
import { runApart } from '#infra/local/apart.ts';
import { buildOnce } from '#infra/local/build.ts';
import { readTemplates } from '#infra/local/template.ts';

interface Resource {
  Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template holds anything; a test asserts what it is.
  Properties: any;
  DependsOn?: string[];
  Metadata?: Record<string, string>;
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
}

interface Template {
  Resources: Record<string, Resource>;
  Outputs?: Record<string, { Value: unknown; Export?: { Name: string } }>;
  Parameters?: object;
}

/** The settings of each deployment that tests look at. */
export const variants = {
  /** What templates and policies are asked of: all that adds resources. */
  full: {
    alarmEmail: 'operator@example.com',
    mailDomain: 'mail.example.com',
    monthlyBudget: '500',
    eventBus: 'crm',
  },
  bare: {},
  restored: {
    tableName: 'Restored',
    tableStreamArn: 'arn:aws:dynamodb:eu-west-1:111111111111:table/Restored/stream/2026-11-24T00:00:00.000',
  },
  dev: { stage: 'dev' },
  /** With settings that change what is there. */
  prod: {
    stage: 'prod',
    mailDomain: 'prod.example.com',
    domainName: 'api.example.com',
    hostedZone: 'Z1A:example.com',
    requestsPerSecond: '30000',
    slowConcurrency: '20',
    tracing: 'active',
    TRUSTED_PROXIES: '192.0.2.0/24',
    TELEGRAM_API_ID: '7',
    telegramApiHashParameter: '/crm/hash',
  },
} as const satisfies Record<string, Record<string, string>>;

export type Variant = keyof typeof variants;

const synthesis = join(import.meta.dirname, 'synthesis.ts');

async function build(input: { variants: object; hasCode: boolean }): Promise<string> {
  const source = await readFile(synthesis, 'utf8');
  // test/infra/cloudformation.full.test.ts asks more strictly what CloudFormation would take.
  const env = { ...process.env, CDK_VALIDATION: 'false' };
  return buildOnce({ ...input, source }, async (folder) => {
    await runApart(pathToFileURL(synthesis), env, { folder, ...input });
  });
}

/**
 * Returns a folder with the functions bundled as they are deployed, `dist`, and with the cloud assembly of the full variant, `full`. Like
 * the variants it is built once for all test files, and again when a source has changed.
 */
export const buildWithCode = () => build({ variants: { full: variants.full }, hasCode: true });

/** Returns the folder of a variant's cloud assembly, in which functions have no code. */
export async function assemblyFolder(variant: Variant): Promise<string> {
  return join(await build({ variants, hasCode: false }), variant);
}

/** Returns the stacks of a variant in the order in which they are deployed. */
export const stacksOf = async (variant: Variant) => new CloudAssembly(await assemblyFolder(variant)).stacks;

/** Returns the templates in the folder of a cloud assembly, each of its own, and the resources of all as if they were of one. */
export async function readAssembly(outdir: string) {
  const read = async (file: string) => {
    const path = join(outdir, file);
    const text = await readFile(path, 'utf8');
    return { stack: file.split('.')[0] as string, path, text, template: JSON.parse(text) as Template };
  };
  const files = await readdir(outdir);
  const templates = await Promise.all(files.filter((file) => file.endsWith('.template.json')).map(read));
  const wholes = readTemplates(outdir).map(([, { Resources }]) => Resources);
  const resources = Object.assign({}, ...wholes) as Template['Resources'];
  const ofType = (type: string) => Object.entries(resources).filter(([, resource]) => resource.Type === type);
  return { templates, resources, ofType };
}
