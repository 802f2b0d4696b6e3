import { inspect } from 'node:util';
import { Logger } from '@aws-lambda-powertools/logger';
import { expect, test, vi } from 'vitest';
import { changeContact, createContact } from '#lib/contacts/store.ts';
import { storeMessage } from '#lib/messages/store.ts';
import { Problem } from '#lib/problem.ts';
import { transact } from '#lib/table/transact.ts';
import { Turn } from '#lib/table/turn.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { operator, system, type Tenant } from '#lib/tenant.ts';
import { dyingAfter } from '#test/crash.ts';
import { newWorkspace } from '#test/workspace.ts';

test('an error that a lasting lock leaves shows nothing of the locked row, however it is printed', async () => {
  const tenant: Tenant = { workspaceId: (await newWorkspace()).id, env: 'live' };
  const run = <Result>(work: (tx: UnitOfWork) => Promise<Result>) => transact(tenant, operator, work);
  const ids = await run(async (tx) => {
    const made = Array.from({ length: 25 }, () =>
      createContact(tx, { platform: 'telegram', name: 'Ada', notes: 'what-nobody-reads' }),
    );
    return (await Promise.all(made)).map(({ id }) => id);
  });
  const write = () =>
    transact(
      tenant,
      system,
      (tx) =>
        storeMessage(tx, {
          contactId: Number(ids[0]),
          channel: 'telegram',
          direction: 'outbound',
          status: 'queued',
          body: 'x',
        }),
      { turn: new Turn(tenant, 500) },
    );
  const change = (name: string) =>
    run(async (tx) => {
      for (const id of ids) await changeContact(tx, id, { name, company: name });
    });
  let left: unknown;
  for (let allowed = 2; left === undefined && allowed < 40; allowed += 1) {
    await dyingAfter(allowed, () => change(`Ada ${allowed}`));
    left = await write().then(
      () => undefined,
      (error) => error,
    );
  }
  expect(left).toBeInstanceOf(Problem);
  const causes = [left];
  for (let cause = left; cause instanceof Error && cause.cause !== undefined; cause = cause.cause)
    causes.push(cause.cause);
  expect(causes.some((cause) => cause instanceof Error && cause.name === 'TransactionCanceledException')).toBe(true);
  const lines: unknown[] = [];
  const spies = (['error', 'log'] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation((...line) => void lines.push(line)),
  );
  new Logger({ serviceName: 'test' }).error('failed', left as Error);
  for (const spy of spies) spy.mockRestore();
  expect(inspect([left, lines], { depth: 20 })).not.toContain('what-nobody-reads');
  expect(JSON.stringify([left, causes, lines])).not.toContain('what-nobody-reads');
});
