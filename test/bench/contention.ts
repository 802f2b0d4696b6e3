import { join } from 'node:path';
import { limits } from '#infra/local/options.ts';
import { telegram } from '#lib/channels/telegram/channel.ts';
import { dayMs, shifted, timestamp } from '#lib/clock.ts';
import { changeContact, createContact } from '#lib/contacts/store.ts';
import { attachTag } from '#lib/contacts/tagging.ts';
import { createDeal } from '#lib/deals/store.ts';
import { createJob } from '#lib/jobs/store.ts';
import { storeMessage } from '#lib/messages/store.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { createTag } from '#lib/tags/store.ts';
import { createTask } from '#lib/tasks/store.ts';
import { system, type Tenant } from '#lib/tenant.ts';
import { createWorkspace } from '#lib/workspaces/store.ts';
import { type Meter, startMeter } from '#test/bench/meter.ts';
import { atMost, type Line, median } from '#test/bench/report.ts';
import { startOwnEngine, startSlowTransactions } from '#test/engine.ts';
import { readEnvironment, startSystem } from '#test/system.ts';

const writers = 20;
const rounds = 5;
const budget = 3;
/** Nobody sends it meanwhile. */
const later = shifted(timestamp(), 7 * dayMs);

/**
 * DynamoDB calls of 20 writers who change the same parent at once, against 20 whose parents are apart: how often they get in each
 * other's way and begin again.
 */
export async function contention(workDir: string): Promise<Line[]> {
  const dataDir = join(workDir, 'contention');
  const engine = await startOwnEngine(dataDir);
  const local = await startSystem(dataDir, { DYNAMODB_ENDPOINT: engine.url });
  Object.assign(process.env, await readEnvironment(dataDir));
  const slow = await startSlowTransactions(engine.url, limits.transactionMs.onAws);
  const meter = await startMeter(slow.url);
  try {
    process.env['AWS_ENDPOINT_URL_DYNAMODB'] = meter.url;
    const { id: workspaceId } = await createWorkspace({ name: 'Crowded', currency: 'EUR' });
    return await measured({ workspaceId, env: 'test' }, meter);
  } finally {
    await local.stop();
    await engine.stop();
    meter.close();
    await slow.close();
  }
}

type Work = (tx: UnitOfWork, parent: number, writer: number) => Promise<unknown>;

async function measured(tenant: Tenant, meter: Meter): Promise<Line[]> {
  const run = <Result>(work: (tx: UnitOfWork) => Promise<Result>) => transact(tenant, system, work);
  /** One after the other: it is not what is measured. */
  const make = async (count: number, work: (tx: UnitOfWork, index: number) => Promise<{ id: number }>) => {
    const made: number[] = [];
    for (let index = 0; index < count; index += 1) made.push((await run((tx) => work(tx, index))).id);
    return made;
  };
  const contact = (tx: UnitOfWork, index: number) =>
    createContact(tx, { platform: telegram.name, name: `Contact ${index}` });
  const deal = (tx: UnitOfWork, index: number) => createDeal(tx, { title: `Deal ${index}`, value: 0, stage: 'lead' });
  const tags = await make(writers, (tx, index) => createTag(tx, { name: `Tag ${index}` }));
  const lines: Line[] = [];
  const compare = async (
    what: string,
    parent: (tx: UnitOfWork, index: number) => Promise<{ id: number }>,
    work: Work,
  ) => {
    const calls: { one: number[]; apart: number[] } = { one: [], apart: [] };
    let failed = 0;
    for (let round = 0; round < rounds; round += 1) {
      const [one = 0, ...apart] = await make(1 + writers, parent);
      for (const [kind, parents] of [
        ['apart', apart],
        ['one', apart.map(() => one)],
      ] as const) {
        meter.take();
        const outcomes = await Promise.allSettled(parents.map((id, writer) => run((tx) => work(tx, id, writer))));
        failed += outcomes.filter(({ status }) => status === 'rejected').length;
        calls[kind].push(meter.take().calls);
      }
    }
    const [one, apart] = [median(calls.one), median(calls.apart)];
    const detail = `${one} / ${apart} calls${failed > 0 ? `, ${failed} failed` : ''}`;
    lines.push(atMost(`contention: ${writers} ${what} / of as many`, one / apart, budget, '', detail));
  };
  await compare('tasks of one deal', deal, (tx, dealId) => createTask(tx, { title: 'Task', status: 'open', dealId }));
  await compare('deals of one contact', contact, (tx, contactId) =>
    createDeal(tx, { title: 'Deal', value: 0, stage: 'lead', contactId }),
  );
  await compare('tags of one contact', contact, (tx, id, writer) =>
    attachTag(tx, id, { tagId: tags[writer] as number }),
  );
  await compare('changes of one contact', contact, (tx, id, writer) =>
    changeContact(tx, id, { company: `C ${writer}` }),
  );
  const queue = (tx: UnitOfWork, accountId: number, contactId: number | null) =>
    createJob(tx, {
      channel: 'telegram',
      accountId,
      contactId,
      recipient: '1',
      text: 'Hi',
      runAt: later,
      source: 'panel',
    });
  await compare('messages queued to one contact', contact, (tx, contactId) => queue(tx, 1, contactId));
  await compare(
    'messages queued of one account',
    async (_, index) => ({ id: index + 1 }),
    (tx, id) => queue(tx, id, null),
  );
  await compare('messages received of one contact', contact, async (tx, contactId) =>
    storeMessage(tx, {
      contactId,
      channel: 'telegram',
      direction: 'inbound',
      status: 'received',
      body: 'Hi',
      accountId: 1,
      threadId: null,
      sentAt: tx.now,
    }),
  );
  return lines;
}
