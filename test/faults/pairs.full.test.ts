import { expect, test } from 'vitest';
import { Problem } from '#lib/core/problem.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { eventually } from '#test/client.ts';
import { differencesOf } from '#test/faults/books.ts';
import { lateReads } from '#test/faults/late.ts';
import { newWorld, works } from '#test/faults/world.ts';
import { newAccount } from '#test/telegram/line.ts';
import { newWorkspace } from '#test/workspace.ts';

const every = Object.entries(works).flatMap(([name, work]) =>
  Object.entries(works).map(([other, rival]) => ({ name, work, other, rival })),
);
/** `npm run test:pairs` tries them all; one in ninety-one is for every day. */
const pairs = process.env['MODE'] === 'every-pair' ? every : every.filter((_, index) => index % 91 === 0);

/** Whatever else than success, a refusal, or 503 while a merge is under way. */
const surprises = (answer: PromiseSettledResult<unknown>) =>
  answer.status === 'rejected' && !(answer.reason instanceof Problem) ? [answer.reason] : [];

test.each(pairs)(
  'rows and counts are right when one caller $name while another one $other, whichever read is late',
  async ({ work, rival }) => {
    const tenant: Tenant = { workspaceId: (await newWorkspace()).id, env: 'test' };
    const { id: accountId } = await newAccount(tenant);
    const run = <Result>(unit: (tx: UnitOfWork) => Promise<Result>) => transact(tenant, operator, unit);
    await lateReads({
      before: () => newWorld(run, accountId),
      work: (world) => run((tx) => work(tx, world)),
      rival: (world) => run((tx) => rival(tx, world)),
      async after(_, answers) {
        expect(answers.flatMap(surprises)).toEqual([]);
      },
    });
    await eventually(
      async () => !(await differencesOf(tenant)).some((one) => one.startsWith('the number of sagas')),
      'the sagas that a merge leaves to a worker',
    );
    expect(await differencesOf(tenant)).toEqual([]);
  },
  // Where the rival waits for what a merge has locked, each of its late reads takes eight seconds.
  600_000,
);
