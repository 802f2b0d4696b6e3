import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, CfnResource, Stack, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { buildApp } from '#infra/app.ts';
import { loadRoutes, loadWorkers } from '#infra/functions.ts';
import { contextOf, contextOfProject } from '#infra/synth.ts';
import { localSettings } from '#lib/core/env.ts';
import { assemblyFolder, variants } from '#test/infra/assembly.ts';

// It makes warnings alone; cloudformation.full.test.ts refuses them.
vi.stubEnv('CDK_VALIDATION', 'false');

let outdir: string;
let app: App;

beforeAll(async () => {
  outdir = await mkdtemp(join(tmpdir(), 'crm-rules-'));
  const [routes, workers, ofProject] = await Promise.all([loadRoutes(), loadWorkers(), contextOfProject()]);
  const bundles = join(await assemblyFolder('full'), '../dist');
  app = buildApp({ routes, workers, bundles, context: { ...ofProject, ...variants.full }, outdir });
});
afterAll(() => rm(outdir, { recursive: true }));

test('the stacks keep every rule of AwsSolutions or acknowledge it', () => {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  expect(() => app.synth()).not.toThrow();
});

test('every acknowledgment is on the one construct it is about, with a reason', () => {
  const acknowledged = app.node
    .findAll()
    .flatMap((construct) =>
      construct.node.metadata
        .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
        .map(({ data }) => ({ construct, rules: data as Record<string, string> })),
    );
  expect(acknowledged.length).toBeGreaterThan(0);
  for (const { construct, rules } of acknowledged) {
    expect(Stack.isStack(construct), construct.node.path).toBe(false);
    expect(CfnResource.isCfnResource(construct.node.defaultChild), construct.node.path).toBe(true);
    for (const [rule, reason] of Object.entries(rules))
      expect(reason.length, `${construct.node.path} ${rule}`).toBeGreaterThan(10);
  }
});

test('settings of the local system are refused for a deployment', () => {
  for (const name of Object.keys(localSettings)) {
    const deployed = () => buildApp({ routes: [], workers: [], bundles: '', context: { [name]: 'allow' } });
    expect(deployed).toThrow(`context ${name}: it is for the local system alone`);
  }
});

test('a setting of the command line that is none of its kind is refused by its name with what it must be', () => {
  for (const [pair, allowed] of Object.entries({
    'accountConcurrency=0.5': 'must be a whole number of at least 1',
    'requestsPerSecond=0': 'must be a whole number of at least 1',
    'monthlyBudget=much': 'must be a number of at least 1',
    'alarmReadUnits=-1': 'must be a whole number of at least 1',
    'WEBHOOK_PRIVATE_NETWORKS=a=b': 'must be deny or allow',
    'TWITTER_API_ROOT=nowhere': 'must be a URL',
  })) {
    const [name] = pair.split('=');
    const deployed = () => buildApp({ routes: [], workers: [], bundles: '', context: contextOf(['-c', pair]) });
    expect(deployed).toThrow(`context ${name}: ${allowed}`);
  }
});
