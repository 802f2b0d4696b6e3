import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readTemplates } from '#infra/local/template.ts';
import { settingsOf } from '#infra/settings.ts';
import { assemblyFolder, type Variant, variants } from '#test/infra/assembly.ts';

let stages: string;
beforeAll(() => {
  stages = mkdtempSync(join(tmpdir(), 'crm-stages-'));
});
afterAll(() => rmSync(stages, { recursive: true }));

const keep = (stage: string, content: unknown) => writeFileSync(join(stages, `${stage}.json`), JSON.stringify(content));
const of = (context: Record<string, unknown>, folder: string | undefined = stages) =>
  settingsOf((name) => context[name], folder);

describe('the file of a stage', () => {
  test('has what a deployment does not name, which is over it, and tells what the file lacks', () => {
    keep('prod', { alarmEmail: 'ops@example.com', EMAILS_PER_SECOND: 50, publicUrl: 'https://crm.example.com' });
    const bare = of({ stage: 'prod' });
    expect(bare.deployment).toMatchObject({ alarmEmail: 'ops@example.com', accountConcurrency: 1000 });
    expect(bare.environment).toEqual({ EMAILS_PER_SECOND: '50', PUBLIC_URL: 'https://crm.example.com' });
    expect(bare.fleeting).toEqual([]);
    const more = of({
      stage: 'prod',
      alarmEmail: 'me@example.com',
      mailDomain: 'mail.example.com',
      EMAILS_PER_SECOND: '50',
    });
    expect(more.deployment).toMatchObject({ alarmEmail: 'me@example.com', mailFrom: 'crm@mail.example.com' });
    expect(more.fleeting).toEqual(['alarmEmail', 'mailDomain']);
  });

  test('is that of no other stage', () => {
    keep('default', { alarmEmail: 'all@example.com' });
    expect(of({ stage: 'dev' }).deployment.alarmEmail).toBeUndefined();
    expect(of({}).deployment.alarmEmail).toBe('all@example.com');
    // As workflows say that there is no stage.
    expect(of({ stage: '' })).toEqual(of({}));
    expect(settingsOf(() => undefined, undefined).deployment.alarmEmail).toBeUndefined();
  });

  test('allows unsigned imports only by the word true', () => {
    expect(of({}).deployment.allowUnsignedImports).toBe('false');
    keep('dev', { allowUnsignedImports: true });
    expect(of({ stage: 'dev' }).deployment.allowUnsignedImports).toBe('true');
    expect(() => of({ allowUnsignedImports: 'yes' })).toThrow('context allowUnsignedImports: must be true or false');
  });

  test('is refused with a setting that there is not, or that is none of its kind', () => {
    keep('typo', { alarmMail: 'ops@example.com' });
    expect(() => of({ stage: 'typo' })).toThrow('there is no setting alarmMail');
    keep('wrong', { requestsPerSecond: 'many' });
    expect(() => of({ stage: 'wrong' })).toThrow('context requestsPerSecond: must be a whole number of at least 1');
    keep('deep', { alarmEmail: { to: 'ops@example.com' } });
    expect(() => of({ stage: 'deep' })).toThrow('must be an object of texts, numbers, and booleans');
    keep('local', { WEBHOOK_LOOPBACK: 'allow' });
    expect(() => of({ stage: 'local' })).toThrow('there is no setting WEBHOOK_LOOPBACK');
  });
});

test('settings that need each other are refused alone', () => {
  const certificateArn = 'arn:aws:acm:eu-west-1:111111111111:certificate/1';
  for (const [context, why] of [
    [{ domainName: 'api.example.com' }, 'context domainName: takes a certificateArn or a hostedZone'],
    [{ certificateArn }, 'context domainName: is what the certificate is for'],
    [{ domainName: 'api.example.com', hostedZone: 'Z1A:example.org' }, 'must be one that the domain lies in'],
    [{ domainName: 'api.example.com', hostedZone: 'example.com' }, 'must be <id>:<name>'],
    [{ tableName: 'Restored' }, 'context tableName: takes a tableStreamArn'],
    [
      { tableName: 'Restored', tableStreamArn: 'arn:aws:dynamodb:eu-west-1:1:table/Other/stream/1' },
      'context tableStreamArn: must be the stream of tableName',
    ],
    [{ TELEGRAM_API_ID: '7' }, 'context TELEGRAM_API_ID: takes a telegramApiHashParameter'],
    [{ TELEGRAM_API_HASH: 'abc' }, 'context TELEGRAM_API_HASH: is a secret'],
    [{ stage: 'default' }, 'context stage: is what a deployment without a stage is called: leave it out'],
    [{ stage: 'Prod-1' }, 'context stage: must be up to 16 lower-case letters and digits'],
  ] as const)
    expect(() => of(context)).toThrow(why);
});

/** The template of the data and that of the API. */
async function templatesOf(variant: Variant) {
  // biome-ignore lint/suspicious/noExplicitAny: a template holds anything; a test asserts what it is.
  const [data, api] = readTemplates(await assemblyFolder(variant)).map(([, template]): any => template);
  return { data, api };
}

test('the secret of the Telegram application is named but not held, and readable where it is used alone', async () => {
  const { api } = await templatesOf('prod');
  const readers = Object.entries<{ Type: string; Properties: Record<string, { Variables?: object }> }>(api.Resources)
    .filter(([, { Type }]) => Type === 'AWS::Lambda::Function')
    .filter(([, { Properties }]) => 'TELEGRAM_API_HASH_PARAMETER' in (Properties['Environment']?.Variables ?? {}))
    .map(([id]) => id);
  expect(readers.sort()).toEqual([
    'TelegramCreateLogin',
    'TelegramDisconnect',
    'TelegramEnterCode',
    'TelegramEnterPassword',
    'WorkersStoreAttachments',
    'WorkersTelegram',
    'WorkersUserPolls',
  ]);
  const allowed = Object.entries<{ Type: string }>(api.Resources)
    .filter(
      ([, resource]) => resource.Type === 'AWS::IAM::Role' && JSON.stringify(resource).includes('ssm:GetParameter'),
    )
    .map(([id]) => id);
  expect(allowed.length).toBeGreaterThan(0);
  for (const id of allowed) expect(id).toMatch(/^(Telegram|Workers(StoreAttachments|Telegram|UserPolls))\w*Role/);
});

test('tracing and its permission are there only with tracing=active', async () => {
  const modesIn = async (variant: Variant) => {
    const { api } = await templatesOf(variant);
    const functions = Object.values<{ Type: string; Properties: { TracingConfig?: { Mode: string } } }>(
      api.Resources,
    ).filter(({ Type }) => Type === 'AWS::Lambda::Function');
    const modes = new Set(functions.map(({ Properties }) => Properties.TracingConfig?.Mode));
    return [...modes, JSON.stringify(api).includes('xray:PutTraceSegments')];
  };
  expect(await modesIn('bare')).toEqual(['PassThrough', false]);
  expect(await modesIn('prod')).toEqual(['Active', true]);
});

test('analytics, summaries, and searches reserve concurrency where it is set, and nothing else does', async () => {
  const reservedIn = async (variant: Variant) => {
    const { api } = await templatesOf(variant);
    const functions = Object.entries<{ Properties: { ReservedConcurrentExecutions?: number } }>(api.Resources);
    return Object.fromEntries(
      functions.flatMap(([id, { Properties }]) =>
        Properties?.ReservedConcurrentExecutions ? [[id, Properties.ReservedConcurrentExecutions]] : [],
      ),
    );
  };
  // A new account takes no reservation.
  expect(await reservedIn('bare')).toEqual({});
  expect(await reservedIn('prod')).toEqual({
    AnalyticsDashboard: 20,
    AnalyticsMessaging: 20,
    CompaniesSearch: 20,
    ContactsSearch: 20,
    DealsSearch: 20,
    FinanceSummary: 20,
    JobsSummary: 20,
    SearchGet: 20,
    TasksSearch: 20,
  });
});

test('only the functions of endpoints know the trusted proxies', async () => {
  const { api } = await templatesOf('prod');
  const told = Object.entries<{ Type: string; Properties: { Environment?: { Variables: object } } }>(api.Resources)
    .filter(([, { Type }]) => Type === 'AWS::Lambda::Function')
    .map(([id, { Properties }]) => [
      id.startsWith('Workers'),
      'TRUSTED_PROXIES' in (Properties.Environment?.Variables ?? {}),
    ]);
  expect(told.filter(([isWorker, isTold]) => isWorker === isTold)).toEqual([]);
});

test('a domain is served with TLS 1.2, by a certificate of its zone, and is the public address', async () => {
  const { api, data } = await templatesOf('prod');
  const ofType = (type: string) =>
    Object.values<{ Type: string; Properties: Record<string, unknown> }>(api.Resources)
      .filter(({ Type }) => Type === type)
      .map(({ Properties }) => Properties);
  expect(ofType('AWS::ApiGatewayV2::DomainName')).toMatchObject([
    // What the record AAAA points at answers.
    {
      DomainName: 'api.example.com',
      DomainNameConfigurations: [{ SecurityPolicy: 'TLS_1_2', IpAddressType: 'dualstack' }],
    },
  ]);
  expect(ofType('AWS::ApiGatewayV2::ApiMapping')).toMatchObject([{ ApiId: { Ref: 'HttpApi' } }]);
  expect(ofType('AWS::CertificateManager::Certificate')).toMatchObject([{ ValidationMethod: 'DNS' }]);
  expect(ofType('AWS::Route53::RecordSet').map(({ Type, Name }) => [Type, Name])).toEqual([
    ['A', 'api.example.com.'],
    ['AAAA', 'api.example.com.'],
  ]);
  expect(api.Outputs.PublicUrl.Value).toBe('https://api.example.com');
  expect(api.Resources.ContactsList.Properties.Environment.Variables.PUBLIC_URL).toBe('https://api.example.com');
  const files = Object.entries<{ Properties: object }>(data.Resources).find(([id]) => id.startsWith('Files'));
  expect(files?.[1].Properties).toMatchObject({
    CorsConfiguration: { CorsRules: [{ AllowedOrigins: ['https://api.example.com'] }] },
  });
});

test('a restored table replaces the stack’s own in every function, role and mapping', async () => {
  const { tableStreamArn } = variants.restored;
  const { data, api } = await templatesOf('restored');
  const text = JSON.stringify(api);
  expect(text).not.toContain('PublishOutputRefTable');
  expect(text).not.toContain('PublishOutputFnGetAttTable');
  expect(api.Resources.ContactsList.Properties.Environment.Variables.TABLE_NAME).toBe('Restored');
  expect(api.Outputs.TableName.Value).toBe('Restored');
  const streams = Object.values<{ Type: string; Properties: Record<string, unknown> }>(api.Resources)
    .filter(({ Type, Properties }) => Type === 'AWS::Lambda::EventSourceMapping' && Properties['StartingPosition'])
    .map(({ Properties }) => Properties['EventSourceArn']);
  expect(streams).toEqual([tableStreamArn, tableStreamArn]);
  expect(Object.values<{ Type: string }>(api.Resources).map(({ Type }) => Type)).not.toContain('AWS::DynamoDB::Table');
  expect(Object.keys(data.Resources).some((id) => id.startsWith('Table'))).toBe(true);
});
