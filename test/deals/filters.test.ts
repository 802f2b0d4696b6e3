import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { commands } from '#infra/admin/commands/invoice.ts';
import { dayMs, dayOf, fromNow } from '#lib/core/clock.ts';
import { Deal, DealQuery } from '#lib/entities/deal.ts';
import { Invoice, InvoiceQuery } from '#lib/entities/invoice.ts';
import { Task, TaskQuery } from '#lib/entities/task.ts';
import { FinanceTransaction, TransactionQuery } from '#lib/entities/transaction.ts';
import { type Client, everyItem } from '#test/client.ts';
import { newWorkspace } from '#test/workspace.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test asserts what it is.
type Row = Record<string, any>;
type Query = Record<string, string | number | boolean>;

/** A filter: values to try, and what it means for a row. */
interface Filter {
  values: fc.Arbitrary<string | number | boolean>;
  holds(row: Row, value: Row[string]): boolean;
}

let live: Client;
let memberId: number;
let contacts: number[];
let deals: number[];
const metadata: Record<string, Map<number, string>> = { deals: new Map(), tasks: new Map() };

/** What each list is asked to add. */
const added: Record<string, Query> = {
  deals: { include: 'owner,pipeline,company,archive', archived: 'all' },
  tasks: { include: 'archive', archived: 'all' },
};

/** What each list shows. */
const rows: Record<string, Row[]> = {};

const any = <T>(values: readonly T[], seed: number) => values[seed % values.length] as T;
const day = (offset: number) => `${dayOf(fromNow(offset * dayMs))}T12:00:00Z`;

beforeAll(async () => {
  const workspace = await newWorkspace();
  live = workspace.live;
  memberId = workspace.memberId;
  const post = async (path: string, body: object) => (await live.post(path, body)).body.id as number;
  contacts = [await post('/v1/contacts', { name: 'Ada' }), await post('/v1/contacts', { name: 'Bo' })];
  const companies = [await post('/v1/companies', { name: 'One' }), await post('/v1/companies', { name: 'Two' })];
  deals = [];
  const steps = ['lead', 'proposal', 'negotiation'].map((stage) => ({ name: stage, stage }));
  const pipelineId = await post('/v1/pipelines', { name: 'Partners', columns: steps });
  for (let n = 0; n < 18; n += 1) {
    deals.push(
      await post('/v1/deals', {
        title: any(['Alpha', 'beta ALPHA', 'Gamma'], n),
        value: any([0, 10, 99.5], n),
        currency: any(['EUR', 'USD'], n),
        stage: any(['lead', 'proposal', 'negotiation'], n + Math.floor(n / 3)),
        contactId: any([null, ...contacts], n + Math.floor(n / 4)),
        companyId: any([null, ...companies], n + Math.floor(n / 7)),
        expectedCloseAt: any([null, day(-1), day(3)], n + Math.floor(n / 5)),
        assignedToUserId: any([null, memberId], n + Math.floor(n / 6)),
        ...(n % 5 < 2 && { pipelineId }),
      }),
    );
    await post('/v1/tasks', {
      title: any(['Call', 'recall', 'Mail'], n),
      status: any(['open', 'inprogress', 'done'], n + Math.floor(n / 2)),
      priority: any(['low', 'medium', 'high'], n + Math.floor(n / 3)),
      dueAt: any([null, day(-2), day(2)], n + Math.floor(n / 4)),
      dealId: any([null, ...deals.slice(0, 2)], n),
      assignedToUserId: any([null, memberId], n + Math.floor(n / 6)),
    });
    await post('/v1/finance/transactions', {
      type: any(['income', 'expense'], n),
      status: any(['realized', 'pending'], n + Math.floor(n / 2)),
      amount: n + 1,
      currency: any(['EUR', 'USD'], n + Math.floor(n / 3)),
      category: any([null, 'Rent', 'Pay'], n),
      description: any(['rent of May', null, 'other'], n),
      occurredAt: day(-(n % 6)),
      contactId: any([null, ...contacts], n),
      dealId: any([null, ...deals.slice(0, 2)], n + Math.floor(n / 2)),
    });
    if (n < 8) {
      await commands.create.run({
        ...{ workspaceId: workspace.id, env: 'live', contactId: any(contacts, n), invoiceNumber: String(n) },
        ...{ status: any(['draft', 'sent'], n + Math.floor(n / 2)), currency: any(['EUR', 'USD'], n), total: n + 1 },
        ...{ issueDate: day(0), dueDate: day(1 + (n % 3)) },
      });
    }
  }
  for (const noun of ['deals', 'tasks'])
    for (const { id } of await everyItem(live, `/v1/${noun}`))
      if (id % 4 === 1) await live.post(`/v1/${noun}/${id}/archive`, {}, 200);
  for (const [noun, known] of Object.entries(metadata)) {
    for (const { id } of (await everyItem(live, `/v1/${noun}`)).slice(0, 6)) {
      known.set(id, any(['a', 'b'], id));
      await live.put(`/v1/${noun}/${id}/metadata`, { metadata: { ext: any(['a', 'b'], id) } });
    }
  }
});

const of = (...values: (string | number | boolean)[]) => fc.constantFrom(...values);
const equal = (field: string, values: fc.Arbitrary<string | number | boolean>): Filter => ({
  values,
  holds: (row, value) => String(row[field]).toLowerCase() === String(value).toLowerCase(),
});
const later = (values: () => fc.Arbitrary<string>, holds: Filter['holds']): Filter => ({
  values: fc.constant(0).chain(values),
  holds,
});
const ids: Filter = {
  values: fc.uniqueArray(fc.integer({ min: 1, max: 20 }), { minLength: 1 }).map(String),
  holds: ({ id }, value) => value.split(',').map(Number).includes(id),
};
const contactId: Filter = {
  ...equal(
    'contactId',
    fc.nat(2).map((n) => n + 1),
  ),
};
const currency = equal('currency', of('EUR', 'usd', 'JPY'));
const since = (holds: Filter['holds']) => later(() => of(day(-1), day(1)) as fc.Arbitrary<string>, holds);
const tagged = (noun: string): Filter => ({
  values: of('a', 'b'),
  holds: ({ id }, value) => metadata[noun]?.get(id) === value,
});

const common = {
  ids,
  createdSince: since((row, value) => row['createdAt'] >= value),
  updatedSince: since((row, value) => (row['updatedAt'] ?? row['createdAt']) >= value),
  archived: {
    values: of('false', 'true', 'all'),
    holds: ({ archive }, value) => value === 'all' || String(archive !== null) === value,
  } satisfies Filter,
};

const nouns: Record<string, Record<string, Filter>> = {
  deals: {
    ...common,
    contactId,
    currency,
    companyId: { values: of(1, 2), holds: ({ company }, value) => company?.id === value },
    stage: equal('stage', of('lead', 'Proposal', 'won')),
    q: { values: of('alpha', 'MM'), holds: ({ title }, value) => title.toLowerCase().includes(value.toLowerCase()) },
    minValue: { values: of(0, 10, 10.5), holds: (row, value) => row['value'] >= value },
    maxValue: { values: of(0, 10, 99.5), holds: (row, value) => row['value'] <= value },
    assignedToUserId: {
      values: of('none', 1),
      holds: ({ owner }, value) => (value === 'none' ? null : value) === owner.assignedToUserId,
    },
    pipelineId: { values: of(1, 3, 9), holds: ({ pipeline }, value) => pipeline.id === value },
    columnId: {
      values: of(10_001, 10_003, 30_001, 30_002, 90_001),
      holds: ({ pipeline }, value) => pipeline.columnId === value,
    },
    expectedCloseBefore: since((row, value) => row['expectedCloseAt'] !== null && row['expectedCloseAt'] < value),
    'metadata.ext': tagged('deals'),
  },
  tasks: {
    ...common,
    status: equal('status', of('open', 'InProgress', 'done')),
    overdue: { values: of(true, false), holds: ({ isOverdue }, value) => isOverdue === value },
    contactId,
    dealId: equal('dealId', of(1, 2, 3)),
    assignedToUserId: {
      values: of('none', 1),
      holds: ({ assignedToUserId }, value) => (value === 'none' ? null : value) === assignedToUserId,
    },
    dueBefore: since((row, value) => row['dueAt'] !== null && row['dueAt'] < value),
    dueAfter: since((row, value) => row['dueAt'] !== null && row['dueAt'] > value),
    q: {
      values: of('CALL', 'all', 'zz'),
      holds: ({ title }, value) => title.toLowerCase().includes(value.toLowerCase()),
    },
    'metadata.ext': tagged('tasks'),
  },
  'finance/transactions': {
    currency,
    category: { values: of('Rent', 'Pay', 'rent'), holds: ({ category }, value) => category === value },
    contactId,
    dealId: equal('dealId', of(1, 2, 3)),
    from: since((row, value) => row['occurredAt'] >= value),
    to: since((row, value) => row['occurredAt'] <= value),
    q: {
      values: of('RENT', 'of'),
      holds: ({ category, description }, value) =>
        `${category ?? ''}\n${description ?? ''}`.toLowerCase().includes(value.toLowerCase()),
    },
  },
  'finance/invoices': {
    status: equal('status', of('draft', 'sent', 'paid')),
    contactId,
    currency,
    dueBefore: { values: fc.constant(0).map(() => day(2)), holds: (row, value) => row['dueDate'] < value },
  },
};

const queries = {
  deals: { query: DealQuery, shown: Deal },
  tasks: { query: TaskQuery, shown: Task },
  'finance/transactions': { query: TransactionQuery, shown: FinanceTransaction },
  'finance/invoices': { query: InvoiceQuery, shown: Invoice },
};

/** Filters that are called as a field is compare it. */
for (const [noun, { query, shown }] of Object.entries(queries)) {
  const filters = nouns[noun] as Record<string, Filter>;
  for (const name of Object.keys(query.entries).filter((one) => one in shown.entries && !(one in filters)))
    filters[name] = equal(
      name,
      fc.constant(0).chain(() => of(...valuesOf(noun, name))),
    );
}
const valuesOf = (noun: string, field: string) =>
  [...new Set(rows[noun]?.map((row) => row[field]))].filter((value) => value !== null);

test.each(Object.entries(queries))('every filter of %s is known here', (noun, { query }) => {
  const names = Object.keys(query.entries).filter((name) => !['after', 'limit', 'include'].includes(name));
  const known = Object.keys(nouns[noun] ?? {}).map((name) => name.replace(/^metadata\..*/, 'metadata'));
  expect(new Set(known)).toEqual(new Set(names));
});

test.each(Object.entries(nouns))(
  'every combination of filters of %s finds what looking at each finds',
  async (noun, filters) => {
    const path = `/v1/${noun}`;
    const all = await everyItem(live, path, { limit: 100, ...added[noun] });
    rows[noun] = all;
    expect(all.length).toBeGreaterThan(7);
    const combination = fc
      .subarray(Object.keys(filters), { minLength: 1, maxLength: 4 })
      .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, (filters[name] as Filter).values]))));
    await fc.assert(
      fc.asyncProperty(combination, fc.integer({ min: 1, max: 5 }), async (query, limit) => {
        const wanted = all.filter((row) =>
          Object.entries({ ...('archived' in filters && { archived: 'false' }), ...query }).every(([name, value]) =>
            (filters[name] as Filter).holds(row, value),
          ),
        );
        const found = await everyItem(live, path, { ...(query as Query), limit });
        expect(found.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
      }),
      { numRuns: 40, endOnFailure: true },
    );
  },
);
