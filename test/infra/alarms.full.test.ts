import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { handler as keepRequests } from '#functions/workers/keep-requests.ts';
import { handler as sendSignIns } from '#functions/workers/send-sign-ins.ts';
import { handler as sweep } from '#functions/workers/sweep.ts';
import type { FindResources } from '#infra/local/template.ts';
import { dayMs, minuteMs, shifted } from '#lib/core/clock.ts';
import { operator, system, type Tenant } from '#lib/core/tenant.ts';
import { keepMail } from '#lib/email/bucket.ts';
import { createMessage } from '#lib/email/compose.ts';
import { Jobs } from '#lib/entities/job.ts';
import { Transfers } from '#lib/entities/transfer.ts';
import { Endpoints } from '#lib/entities/webhook.ts';
import { Dispatches } from '#lib/entities/webhook-dispatch.ts';
import { Healths } from '#lib/entities/webhook-health.ts';
import { eventKinds } from '#lib/events/kinds.ts';
import { bury } from '#lib/table/dead-letter.ts';
import { duePrefix } from '#lib/table/entity.ts';
import { shardOf } from '#lib/table/keys.ts';
import { outboxItems } from '#lib/table/outbox.ts';
import { take } from '#lib/table/quota.ts';
import { type Row, writeRows } from '#lib/table/rows.ts';
import { transact } from '#lib/table/transact.ts';
import { storeAttachments } from '#lib/transport/receiving/attachments.ts';
import { deliverEmail } from '#lib/transport/sending/mail.ts';
import { api, eventually } from '#test/client.ts';
import { assemblyFolder } from '#test/infra/assembly.ts';
import {
  type AlarmProperties,
  type DataPoint,
  dataPointsOf,
  filtered,
  isOf,
  type MetricFilter,
  readAlarms,
  type State,
  setOff,
  statesOf,
  watchedBy,
} from '#test/infra/cloudwatch.ts';
import { readEnvironment, type System, startSystem } from '#test/system.ts';
import { answers, type Receiver, startReceiver } from '#test/webhooks/receiver.ts';
import { newWorkspace } from '#test/workspace.ts';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

let of: FindResources;
let alarms: ReadonlyMap<string, AlarmProperties>;
let dataDir: string;
let local: System;

beforeAll(async () => {
  ({ of, alarms } = readAlarms(await assemblyFolder('full')));
  dataDir = await mkdtemp(join(tmpdir(), 'crm-alarms-'));
  local = await startSystem(dataDir, { EVENT_BUS: 'events', WEBHOOK_RETRY_SCALE: '0.01' });
  Object.assign(process.env, await readEnvironment(dataDir));
});
afterAll(async () => {
  await local.stop();
  await rm(dataDir, { recursive: true });
});

const alarmOf = (name: string) => alarms.get(name) as AlarmProperties;
const functionName = (id: string) => of('AWS::Lambda::Function').find((lambda) => lambda.id === id)?.name as string;

/** What the functions of this process measure, as that of a name. */
const measuredHere: DataPoint[] = [];

async function asFunction(id: string, work: () => Promise<unknown>): Promise<DataPoint[]> {
  vi.stubEnv('AWS_LAMBDA_FUNCTION_NAME', functionName(id));
  vi.stubEnv('POWERTOOLS_METRICS_DISABLED', '');
  const lines: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  try {
    await work();
  } finally {
    write.mockRestore();
    vi.unstubAllEnvs();
  }
  return lines.flatMap((line) => dataPointsOf(line.trimEnd()));
}

/** The lines that functions have logged, by function. */
const logged = () =>
  readdirSync(join(dataDir, 'logs')).map((file) => ({
    name: file.replace(/\.log$/, ''),
    lines: readFileSync(join(dataDir, 'logs', file), 'utf8').split('\n'),
  }));

/** All that CloudWatch was given so far: what functions print, and what metric filters find in their logs. */
function dataPoints(): DataPoint[] {
  const filters = of('AWS::Logs::MetricFilter').map(({ properties }) => properties as unknown as MetricFilter);
  const groups = new Map(
    of('AWS::Lambda::Function').map(({ name, properties }) => [
      name,
      (properties['LoggingConfig'] as { LogGroup: string }).LogGroup,
    ]),
  );
  const printed = logged().flatMap(({ name, lines }) => [
    ...lines.flatMap(dataPointsOf),
    ...filters
      .filter(({ LogGroupName }) => LogGroupName === groups.get(name))
      .flatMap((filter) => lines.flatMap((line) => filtered(filter, line))),
  ]);
  return [...printed, ...measuredHere];
}

let beganMs: number;
beforeAll(() => {
  beganMs = Date.now();
});

/** The states since the tests began; what is measured always is missing before, which counts there. */
const statesSoFar = (name: string): State[] => statesOf(alarmOf(name), dataPoints(), beganMs, Date.now());

async function rings(names: readonly string[], again: () => Promise<unknown> = async () => {}) {
  await eventually(
    async () => {
      if (names.every((name) => statesSoFar(name).includes('ALARM'))) return true;
      await again();
      return false;
    },
    `${names.join(', ')} to ring: ${names.map((name) => JSON.stringify(statesSoFar(name)))}`,
    110_000,
  );
}

const put = (rows: readonly Row[]) => writeRows(rows.map((Item) => ({ PutRequest: { Item } })));

/** An outbox row as a change writes it that was committed at some time. */
function outboxRow(tenant: Tenant, committedAt: string): Row {
  const event = {
    kind: 'contact.created' as const,
    subject: 'contact/1',
    data: eventKinds['contact.created'].example,
    timestamp: '2026-11-22T10:00:00Z',
  };
  const row = outboxItems(tenant, randomUUID(), event.timestamp, operator, [event], undefined)[0] as Row;
  return { ...row, sk: row.sk.replace(/^[^#]+/, committedAt) };
}

const instantBefore = (ms: number) => new Date(Date.now() - ms).toISOString();

/** A timer whose message was sent in vain a moment ago. */
function overdue(tenant: string, name: string): Row {
  const at = shifted(new Date(), -minuteMs);
  const group = `${tenant}/invoices/1`;
  return {
    pk: `${duePrefix}#${shardOf('due', `${group}${name}`)}`,
    sk: `${at}#${tenant}#test#${name}`,
    at,
    queue: 'invoices',
    tenant,
    group,
    message: { invoiceId: 1 },
    tries: 20,
    triedAt: shifted(new Date(), 0),
  };
}

/** A workspace with endpoints at a receiver, all of them known to be slow or not. */
async function withEndpoints(receiver: Receiver, count: number, isSlow: boolean) {
  const { id: workspaceId, liveKey } = await newWorkspace();
  const live = api(liveKey, { baseUrl: local.baseUrl });
  const tenant: Tenant = { workspaceId, env: 'live' };
  for (let index = 0; index < count; index += 1) {
    const { status, body } = await live.post('/v1/webhooks', {
      url: `${receiver.url}/${index}`,
      events: ['contact.created'],
    });
    expect([status, body.details]).toEqual([201, undefined]);
    // As if they had been there for long, and were known.
    await transact(tenant, system, async (tx) => {
      const endpoint = await tx.find(Endpoints, { id: body.id });
      const dispatch = await tx.find(Dispatches, { id: body.id });
      const health = await tx.find(Healths, { id: body.id });
      if (!endpoint || !dispatch || !health) throw new Error('an endpoint has all three');
      tx.update(Endpoints, { ...endpoint, registeredAtMs: endpoint.registeredAtMs - 5 * minuteMs });
      if (!isSlow) return;
      tx.update(Dispatches, { ...dispatch, isSlow });
      tx.update(Healths, { ...health, averageMs: 1e9 });
    });
  }
  return { tenant };
}

test('no alarm goes off before a fault', () => {
  // What the sweeper measures always is missing before its first minutes: its own tests begin without.
  const names = setOff.filter((name) => !name.startsWith('WorkersSweep'));
  expect(names.filter((name) => statesSoFar(name).includes('ALARM'))).toEqual([]);
});

describe.each([
  ['WorkersDeliver', false],
  ['WorkersDeliverSlow', true],
])('%s', (lane, isSlow) => {
  test('Latency goes off when deliveries arrive more than a minute after their change', async () => {
    await using receiver = await startReceiver();
    const { tenant } = await withEndpoints(receiver, 1, isSlow);
    // Their publisher comes late.
    await put(Array.from({ length: 3 }, () => outboxRow(tenant, instantBefore(2 * minuteMs))));
    await rings([`${lane}Latency`]);
  });

  test('Failing and Breakers go off when many endpoints fail', async () => {
    await using receiver = await startReceiver(answers(500));
    const { tenant } = await withEndpoints(receiver, 15, isSlow);
    await rings([`${lane}Failing`, `${lane}Breakers`], () =>
      put(Array.from({ length: 10 }, () => outboxRow(tenant, instantBefore(0)))),
    );
  });
});

test('WorkersErrors goes off when an invocation of a worker dies', async () => {
  await using receiver = await startReceiver(() => {});
  const { tenant } = await withEndpoints(receiver, 1, false);
  await put([outboxRow(tenant, instantBefore(0))]);
  await eventually(async () => receiver.received.length > 0, 'an attempt that does not end');
  writeFileSync(join(dataDir, 'kill', functionName('WorkersDeliver')), '');
  await rings(['WorkersErrors']);
});

test('EventBus goes off when the bus accepts nothing', async () => {
  const bus = join(dataDir, 'events', 'events.jsonl');
  rmSync(bus, { force: true });
  await mkdir(bus);
  const workspaces = await Promise.all(Array.from({ length: 6 }, () => newWorkspace()));
  await rings(['EventBus'], () =>
    put(workspaces.map(({ id }) => outboxRow({ workspaceId: id, env: 'live' }, instantBefore(0)))),
  );
  rmSync(bus, { recursive: true });
});

describe('the sweeper’s metrics', () => {
  /** In the third minute, the first of which the three periods are there. */
  const statesOfSweeps = (name: string, points: readonly DataPoint[]) =>
    statesOf(alarmOf(name), points, 3 * minuteMs, 3 * minuteMs);
  /** A sweep in each of three minutes, as its rule rings. */
  async function sweepEachMinute(): Promise<DataPoint[]> {
    const points: DataPoint[] = [];
    for (let minute = 1; minute <= 3; minute += 1)
      points.push(
        ...(await asFunction('WorkersSweep', () => sweep({}).catch(() => {}))).map((point) => ({
          ...point,
          atMs: minute * minuteMs,
        })),
      );
    return points;
  }

  test('set off no alarm while there is nothing', async () => {
    const points = await sweepEachMinute();
    expect(points.length).toBe(9);
    for (const name of ['WorkersSweepOverdue', 'WorkersSweepUnpublished', 'WorkersSweepDeadLetters'])
      expect(statesOfSweeps(name, points), name).toEqual(['OK']);
  });

  test('set off an alarm for rows sent in vain, changes without events, and a dead letter', async () => {
    const { id } = await newWorkspace();
    const tenant: Tenant = { workspaceId: id, env: 'live' };
    await put(Array.from({ length: 120 }, (_, index) => overdue(`${id}:live`, `vain-${index}`)));
    await put(
      Array.from({ length: 120 }, () => ({ ...outboxRow(tenant, instantBefore(minuteMs)), events: 'garbage' })),
    );
    const dead = outboxRow(tenant, instantBefore(minuteMs));
    await put([{ ...dead, events: 'garbage' }]);
    await bury(dead, new Error('a reason'));
    const swept = await sweepEachMinute();
    for (const name of ['WorkersSweepOverdue', 'WorkersSweepUnpublished', 'WorkersSweepDeadLetters'])
      expect(statesOfSweeps(name, swept), name).toEqual(['ALARM']);
  });

  test('are the same from the function in the local cloud', async () => {
    await eventually(async () => {
      const points = dataPoints();
      return ['WorkersSweepOverdue', 'WorkersSweepUnpublished', 'WorkersSweepDeadLetters'].every((name) =>
        watchedBy(alarmOf(name)).every(([, metric]) => points.some((point) => isOf(metric, point))),
      );
    }, 'a sweep of the local cloud');
  });
});

test('WorkersKeepRequestsUnreadable goes off for a line that is not a request', async () => {
  const logEvents = [{ id: '1', timestamp: Date.now(), message: '{"isKept":true}' }];
  const data = gzipSync(JSON.stringify({ messageType: 'DATA_MESSAGE', logEvents })).toString('base64');
  measuredHere.push(...(await asFunction('WorkersKeepRequests', () => keepRequests({ awslogs: { data } }))));
  expect(statesSoFar('WorkersKeepRequestsUnreadable')).toContain('ALARM');
});

test('WorkersSendSignInsUnsent goes off when a link is requested without a sender address', async () => {
  await newWorkspace();
  const body = JSON.stringify({ email: 'ann@example.com', base: local.baseUrl });
  const asked = await asFunction('WorkersSendSignIns', async () => {
    vi.stubEnv('MAIL_FROM', undefined);
    expect(await sendSignIns({ Records: [{ messageId: '1', body }] } as never)).toEqual({ batchItemFailures: [] });
  });
  measuredHere.push(...asked);
  expect(statesSoFar('WorkersSendSignInsUnsent')).toContain('ALARM');
});

test('WorkersSendEmailRefused goes off when SES refuses the mail of this deployment', async () => {
  const { id: workspaceId } = await newWorkspace();
  const tenant: Tenant = { workspaceId, env: 'live' };
  const mail = { to: ['ann@example.com'], cc: [], bcc: [], subject: 'S', bodyText: 'Hello', bodyHtml: null };
  const job = await transact(tenant, operator, (tx) =>
    createMessage(tx, { ...mail, contactId: null, runAt: shifted(new Date(), dayMs), force: false }),
  );
  const due = await transact(tenant, operator, async (tx) =>
    tx.update(Jobs, { ...(await tx.get(Jobs, { id: job.id })), queuedFor: tx.now }),
  );
  const refused = await asFunction('WorkersSendEmail', () => {
    vi.stubEnv('MAIL_CONFIGURATION_SET', 'gone');
    return deliverEmail(tenant, due.id);
  });
  measuredHere.push(...refused);
  expect(statesSoFar('WorkersSendEmailRefused')).toContain('ALARM');
});

test('WorkersStoreAttachmentsPutOff goes off when a workspace exceeds its files of a day', async () => {
  const { id: workspaceId } = await newWorkspace();
  const tenant: Tenant = { workspaceId, env: 'live' };
  await take(tenant, 'received', 20 * 2 ** 30);
  const raw = 'Content-Type: application/x-raw\r\nContent-Disposition: attachment\r\n\r\nbytes';
  const source = { kind: 'mail', key: await keepMail(raw) } as const;
  const transfer = await transact(tenant, operator, async (tx) =>
    tx.create(Transfers, {
      id: 1,
      mail: null,
      source,
      parts: [{ attachmentId: 1, ref: '0' }],
      dueAt: tx.now,
      tries: 0,
    }),
  );
  // The worker of the local cloud may be first.
  for (let n = 0; n < 4 && !statesSoFar('WorkersStoreAttachmentsPutOff').includes('ALARM'); n += 1) {
    await transact(tenant, operator, async (tx) =>
      tx.update(Transfers, { ...(await tx.get(Transfers, { id: transfer.id })), tries: 0, dueAt: tx.now }),
    );
    measuredHere.push(...(await asFunction('WorkersStoreAttachments', () => storeAttachments(tenant, transfer.id))));
  }
  expect(statesSoFar('WorkersStoreAttachmentsPutOff')).toContain('ALARM');
});

describe('the commands of the runbook run', () => {
  const runbook = globSync('docs/alarms-*.md', { cwd: root }).map((page) => readFileSync(join(root, page), 'utf8'));
  const commands = [...runbook.join('\n').matchAll(/^ *npm run -s admin -- (\S+) (\S+)(?: '(.*?)')?/gm)].map(
    ([, noun = '', verb = '', json = '{}']) => [noun, verb, json] as const,
  );

  test.each(commands)('%s %s %s', async (noun, verb, json) => {
    // What a reader puts in: rows and deliveries of their own.
    const options = { cwd: root, env: { ...process.env, DATA_DIR: dataDir } };
    const done = await run(process.execPath, ['infra/admin.ts', noun, verb, json], options).catch(
      ({ stderr }: { stderr: string }) => ({ stdout: '', stderr }),
    );
    // Of the example's own there is none here: that is said in these words, after everything else was understood.
    if (done.stdout === '') expect(done.stderr).toMatch(/ not found\n$/);
    else expect(JSON.parse(done.stdout)).toBeTypeOf('object');
  });
});
