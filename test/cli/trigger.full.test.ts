import * as v from 'valibot';
import { beforeAll, describe, expect, test } from 'vitest';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { CreateInvoice } from '#lib/entities/invoice.ts';
import { CreateSequence } from '#lib/entities/sequence.ts';
import { eventKindNames } from '#lib/events/names.ts';
import { createInvoice } from '#lib/finance/invoice-store.ts';
import { createSequence } from '#lib/sequences/store.ts';
import { transact } from '#lib/table/transact.ts';
import { ReceiveMessage, receiveMessage } from '#lib/transport/receiving/message.ts';
import { crm } from '#test/cli/process.ts';
import { eventually } from '#test/client.ts';
import { newAccount } from '#test/telegram/line.ts';
import { startReceiver } from '#test/webhooks/receiver.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

const run = (...args: string[]) => crm(['trigger', ...args], { key: workspace.testKey });

/** Of the sandbox. */
const kindsSeen = async () => (await workspace.test.get('/v1/events', { limit: 100 })).body.items;

/** What a sandbox has by its panel, which no call makes. */
async function furnish(tenant: Tenant) {
  const { id: accountId } = await newAccount(tenant);
  const hello = { channel: 'telegram', accountId, from: { telegramUserId: 77, name: 'Ada' }, body: 'Hello' };
  const { contactId } = await transact(tenant, operator, (tx) => receiveMessage(tx, v.parse(ReceiveMessage, hello)));
  const bill = { contactId, status: 'sent', invoiceNumber: '1', currency: 'EUR', total: 9, issueDate: '2026-01-01' };
  await transact(tenant, operator, (tx) =>
    createInvoice(tx, v.parse(CreateInvoice, { ...bill, dueDate: '2999-01-01' })),
  );
  await transact(tenant, operator, (tx) =>
    createSequence(
      tx,
      v.parse(CreateSequence, {
        name: 'Welcome',
        channel: 'email',
        accountId: null,
        steps: [{ delayMinutes: 60, subject: 'Hi', text: 'Welcome' }],
        status: 'active',
      }),
    ),
  );
}

test('every kind is caused by calls in the sandbox, or it is said why none can', async () => {
  const { stdout } = await run('--list', '--json');
  const listed = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { kind: string; not: string | null });
  expect(listed.map(({ kind }) => kind).toSorted()).toEqual([...eventKindNames].toSorted());
  await furnish({ workspaceId: workspace.id, env: 'test' });
  await using receiver = await startReceiver();
  await workspace.test.post('/v1/webhooks', { url: receiver.url, eventKinds: ['key.revoked'] });
  const since = Math.max(...(await kindsSeen()).map(({ sequence }: { sequence: number }) => sequence));
  const wanted: string[] = [];
  for (const { kind, not } of listed) {
    const { code, stdout: caused, stderr } = await run(kind);
    if (not === null) expect([kind, code, caused, stderr]).toEqual([kind, 0, `${kind} caused\n`, expect.any(String)]);
    else expect([code, stderr]).toEqual([1, `no call causes ${kind}: ${not}\n`]);
    if (not === null && kind !== 'webhook.test') wanted.push(kind);
  }
  await eventually(async () => {
    const { items } = (await workspace.test.get('/v1/events', { since, limit: 100 })).body;
    const seen = new Set(items.map(({ event }: { event: string }) => event));
    return wanted.every((kind) => seen.has(kind));
  }, 'an event of every kind');
  expect(receiver.received.map(({ body }) => body.event)).toContain('webhook.test');
});

test('fields of the call are the caller’s, wrong ones too', async () => {
  const { code, stderr } = await run('deal.created', '--override', 'title=Mine', '--override', 'value=7');
  expect([code, stderr]).toEqual([0, 'POST /v1/deals 201\n']);
  expect((await workspace.test.get('/v1/deals', { limit: 1 })).body.items).toMatchObject([{ title: 'Mine', value: 7 }]);
  const refused = await run('deal.created', '--override', 'value="much"', '--override', 'title.a=b');
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/400 bad_request: .*title: .*value: /);
});

describe('a refused trigger', () => {
  test.each<[string, string[], number, RegExp]>([
    [
      'an unknown kind',
      ['deal.exploded'],
      2,
      /^"deal\.exploded" is not an event kind; crm trigger --list shows the kinds\n$/,
    ],
    ['a word that every object knows', ['constructor'], 2, /is not an event kind/],
    ['no kind', [], 2, /^<kind> is missing\n$/],
    ['an override that sets nothing', ['deal.created', '--override', 'title'], 2, /^"title" is not key=value\n$/],
  ])('%s', async (_, args, expected, said) => {
    const { code, stdout, stderr } = await run(...args);
    expect([code, stdout, stderr]).toEqual([expected, '', expect.stringMatching(said)]);
  });

  test('anything with a live key', async () => {
    const { code, stderr } = await crm(['trigger', 'deal.created'], { key: workspace.liveKey });
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^trigger needs a test key/)]);
    expect((await workspace.live.get('/v1/deals')).body.items).toEqual([]);
  });

  test('a kind that depends on rows that no call makes is refused with the reason', async () => {
    const { testKey } = await newWorkspace();
    for (const kind of ['message.read', 'sequence.status_changed', 'invoice.paid', 'webhook.test']) {
      const { code, stderr } = await crm(['trigger', kind], { key: testKey });
      expect([kind, code, stderr]).toEqual([kind, 1, expect.stringMatching(/\n(?:no|this sandbox has no) /)]);
    }
  });
});
