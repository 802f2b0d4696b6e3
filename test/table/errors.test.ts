import { inspect } from 'node:util';
import { Logger } from '@aws-lambda-powertools/logger';
import * as v from 'valibot';
import { expect, test, vi } from 'vitest';
import { Problem } from '#lib/core/problem.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { entity } from '#lib/table/entity.ts';
import { transact } from '#lib/table/transact.ts';
import { updateOf, writeIf } from '#lib/table/write.ts';
import { newWorkspace } from '#test/workspace.ts';

test('an error after a lasting conflict does not show the row in any print', async () => {
  const tenant: Tenant = { workspaceId: (await newWorkspace()).id, env: 'live' };
  const Kept = entity({ name: 'kept', schema: v.object({ id: v.number(), text: v.string() }) });
  await transact(tenant, system, async (tx) => tx.create(Kept, { id: 1, text: 'what-nobody-reads' }));
  const left = await transact(
    tenant,
    system,
    async (tx) => {
      const row = await tx.get(Kept, { id: 1 });
      await writeIf(updateOf(tenant, Kept, { id: 1 }, { set: { text: 'what-nobody-reads' } }));
      tx.update(Kept, { ...row, text: 'later' });
    },
    { mayGoOn: async () => false },
  ).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(left).toBeInstanceOf(Problem);
  const causes = [left];
  for (let cause = left; cause instanceof Error && cause.cause !== undefined; cause = cause.cause)
    causes.push(cause.cause);
  expect(causes.some((cause) => cause instanceof Error && cause.name === 'ConditionalCheckFailedException')).toBe(true);
  const lines: unknown[] = [];
  const spies = (['error', 'log'] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation((...line) => void lines.push(line)),
  );
  new Logger({ serviceName: 'test' }).error('failed', left as Error);
  for (const spy of spies) spy.mockRestore();
  expect(inspect([left, lines], { depth: 20 })).not.toContain('what-nobody-reads');
  expect(JSON.stringify([left, causes, lines])).not.toContain('what-nobody-reads');
});
