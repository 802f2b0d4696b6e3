import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, CfnResource, Stack, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildApp } from '#infra/app.ts';
import { loadRoutes, loadWorkers } from '#infra/functions.ts';

const context = { alarmEmail: 'operator@example.com', mailDomain: 'mail.example.com' };
let folder: string;
let app: App;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crm-rules-'));
  const [routes, workers] = await Promise.all([loadRoutes(), loadWorkers()]);
  const bundles = join(folder, 'dist');
  for (const { name } of [...routes, ...workers]) {
    await mkdir(join(bundles, name), { recursive: true });
    await writeFile(join(bundles, name, 'index.mjs'), `// the rules do not look at the code of ${name}`);
  }
  app = buildApp({ routes, workers, bundles, context, outdir: join(folder, 'cdk.out') });
}, 240_000);
afterAll(() => rm(folder, { recursive: true }));

test('the stacks keep every rule of AwsSolutions or acknowledge it', () => {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  expect(() => app.synth()).not.toThrow();
}, 240_000);

test('every acknowledgement stands on the one construct it is about, with a reason', () => {
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
