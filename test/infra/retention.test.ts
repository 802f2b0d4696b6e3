import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type FindResources, resourceFinder } from '#infra/local/template.ts';
import { assemblyFolder } from '#test/infra/assembly.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

const units = { minute: 60, hour: 3600, day: 86_400 } as const;

/** What the table of docs/retention.md says. */
const rows = (read('docs/retention.md').split('## By this system')[1]?.split('\n## ')[0] ?? '')
  .split('\n')
  .flatMap((line) => {
    const [, what = '', amount, unit, by = ''] = /^\| (.+) \| (\d+) (minute|hour|day)s? \| `(.+)` \|$/.exec(line) ?? [];
    return unit === undefined ? [] : [{ what, by, seconds: Number(amount) * units[unit as keyof typeof units] }];
  });

const secondsOf = (by: string, what?: RegExp) =>
  rows.filter((row) => row.by === by && (!what || what.test(row.what))).map(({ seconds }) => seconds);

const names = { dayMs: 86_400_000, hourMs: 3_600_000, minuteMs: 60_000 };

/** Arithmetic of numbers and of the names of lib/core/clock.ts. */
const product = (text: string) =>
  text
    .replaceAll('_', '')
    .split('*')
    .map((factor) => Number(names[factor.trim() as keyof typeof names] ?? factor))
    .reduce((all, factor) => all * factor, 1);

/** A constant of a file, by the unit that its name ends with, in seconds. */
function constant(file: string, name: string): number {
  const [, text = ''] = new RegExp(`^const ${name} = (.+);$`, 'm').exec(read(file)) ?? [];
  const per = name.endsWith('Days') ? 86_400 : name.endsWith('Seconds') ? 1 : 0.001;
  return Math.round(product(text) * per);
}

/** Where a file says it in the expression itself. */
function within(file: string, expression: RegExp, perUnit: number): number {
  const [, text = ''] = expression.exec(read(file)) ?? [];
  return product(text) * perUnit;
}

/** What each file that lets rows expire has in it, in the order of the table. */
const inCode: Record<string, () => number[]> = {
  'lib/entities/feed-event.ts': () => [constant('lib/entities/feed-event.ts', 'keptDays')],
  'lib/entities/delivery.ts': () => [constant('lib/entities/delivery.ts', 'keptDays')],
  'lib/entities/audit-event.ts': () => [constant('lib/entities/audit-event.ts', 'keptDays')],
  'lib/table/changed.ts': () => [within('lib/table/changed.ts', /^export const notedDays = (\d+);/m, 86_400)],
  'lib/workspaces/request-row.ts': () => [
    within('lib/workspaces/request-row.ts', /^export const keptDays = (\d+);/m, 86_400),
  ],
  'lib/http/idempotency.ts': () => [constant('lib/http/idempotency.ts', 'keptSeconds')],
  'lib/table/batch-progress.ts': () => [constant('lib/table/batch-progress.ts', 'keptSeconds')],
  'lib/entities/contact.ts': () => [constant('lib/entities/contact.ts', 'upsertKeptSeconds')],
  'lib/table/daily.ts': () => [constant('lib/table/daily.ts', 'keptDays')],
  'lib/table/slots.ts': () => [within('lib/table/slots.ts', /new Date\(now\(\) \+ (\w+)\)/, 0.001)],
  'lib/auth/identify-key.ts': () => [within('lib/auth/identify-key.ts', /expiresAtSeconds: window \+ (\d+)/, 1)],
  'lib/entities/export.ts': () => [constant('lib/entities/export.ts', 'keptMs')],
  'lib/entities/data-export.ts': () => [constant('lib/entities/data-export.ts', 'keptMs')],
  'lib/entities/import.ts': () => [constant('lib/entities/import.ts', 'keptMs')],
  'lib/entities/file.ts': () => [within('lib/entities/file.ts', /expiresAtSeconds: .*\(createdAt\) \+ (\w+)\)/, 0.001)],
  'lib/entities/login.ts': () => [
    within('lib/entities/login.ts', /expiresAtSeconds: .*\(expiresAt\) \+ (\w+)\)/, 0.001),
  ],
  'lib/entities/peer.ts': () => [constant('lib/entities/peer.ts', 'usernameKeptMs')],
  'lib/channels/telegram/codes.ts': () => [
    within('lib/channels/telegram/codes.ts', /new Date\(nowMs \+ (\w+)\)/, 0.001),
  ],
  'lib/auth/session-store.ts': () => [constant('lib/auth/session-store.ts', 'signInMs')],
  'lib/auth/session.ts': () => [constant('lib/auth/session.ts', 'idleMs')],
  'lib/auth/sign-in-limits.ts': () => [2 * constant('lib/auth/sign-in-limits.ts', 'daySeconds')],
  'lib/auth/signed-in.ts': () => [constant('lib/auth/signed-in.ts', 'keptDays')],
};

/** Those by which all rows expire, and one that writes by what another says. */
const mechanism = [
  'infra/admin/archive',
  'lib/table/entity.ts',
  'lib/table/stored.ts',
  'lib/workspaces/keep-request.ts',
];

let of: FindResources;
beforeAll(async () => {
  of = resourceFinder(await assemblyFolder('full'), {
    region: 'us-east-1',
    accountId: '000000000000',
    sqsUrl: '',
    apiUrl: '',
    keyId: '',
  });
});

test('every place that lets rows expire is in the table', () => {
  const places = globSync('{lib,functions}/**/*.ts', { cwd: root })
    .filter((file) => !mechanism.some((name) => file.startsWith(name)))
    .filter((file) => /expiresAtSeconds(?::| =)/.test(read(file).replaceAll(/atMost: \{[^}]*\}/g, '')));
  const named = new Set(rows.map(({ by }) => by).filter((by) => by.startsWith('lib/')));
  expect(places.length).toBeGreaterThan(15);
  expect(places.filter((file) => !named.has(file))).toEqual([]);
  expect([...named].sort()).toEqual(Object.keys(inCode).sort());
});

test.each(Object.keys(inCode))('the table says of %s what stands there', (file) => {
  expect(secondsOf(file)).toEqual(inCode[file]?.());
});

const valuesOf = (type: string, property: string) =>
  new Set(of(type).map(({ properties }) => properties[property] as number | undefined));

test('logs, queues, buckets, the table and the key are kept as the table says', () => {
  const days = (seconds: readonly number[]) => new Set(seconds.map((second) => second / 86_400));
  expect(valuesOf('AWS::Logs::LogGroup', 'RetentionInDays')).toEqual(days(secondsOf('infra/stacks/functions.ts')));
  expect(valuesOf('AWS::SQS::Queue', 'MessageRetentionPeriod')).toEqual(new Set(secondsOf('infra/stacks/queues.ts')));
  const expirations = (id: string) =>
    of('AWS::S3::Bucket')
      .filter((bucket) => bucket.id.startsWith(id))
      .flatMap(({ properties }) => (properties['LifecycleConfiguration'] as { Rules: object[] }).Rules)
      .map((rule) => (rule as { ExpirationInDays: number }).ExpirationInDays);
  expect(new Set(expirations('Mail'))).toEqual(days(secondsOf('infra/stacks/mail.ts')));
  expect(new Set(expirations('Files'))).toEqual(days(secondsOf('infra/stacks/data.ts', /^uploads|^copies/)));
  expect(of('AWS::S3::Bucket')).toHaveLength(2);
  // 35 days unless it says less.
  const [table] = of('AWS::DynamoDB::Table');
  const { RecoveryPeriodInDays = 35 } = (table?.properties['PointInTimeRecoverySpecification'] ?? {}) as {
    RecoveryPeriodInDays?: number;
  };
  expect(days(secondsOf('infra/stacks/data.ts', /^point-in-time/))).toEqual(new Set([RecoveryPeriodInDays]));
  expect(valuesOf('AWS::KMS::Key', 'PendingWindowInDays')).toEqual(
    days(secondsOf('infra/stacks/data.ts', /^a deleted/)),
  );
});
