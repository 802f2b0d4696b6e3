import { beforeAll, describe, expect, test } from 'vitest';
import { now } from '#lib/core/clock.ts';
import { operator } from '#lib/core/tenant.ts';
import { transact } from '#lib/table/transact.ts';
import { patchWorkspace } from '#lib/workspaces/store.ts';
import { settle } from '#test/harness.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let live: TestWorkspace['live'];
const named = new Map<number, string>();
let companyId: number;
let tagId: number;

beforeAll(async () => {
  workspace = await newWorkspace();
  ({ live } = workspace);
  const field = (slug: string, type: string, more = {}) =>
    live.post('/v1/fields', { object: 'contact', slug, title: slug, type, ...more }, 201);
  await field('budget', 'money');
  await field('seats', 'number');
  await field('plan', 'select', { options: [{ label: 'Gold' }, { label: 'Silver' }] });
  await field('topics', 'multi_select', { options: [{ label: 'A' }, { label: 'B' }] });
  await field('since', 'date');
  await field('owner', 'member');
  await field('agency', 'company');
  companyId = (await live.post('/v1/companies', { name: 'Müller GmbH', domains: ['mueller.example.com'] }, 201)).body
    .id;
  const make = async (name: string, fields: object) => {
    const { body } = await live.post('/v1/contacts', { name, ...fields }, 201);
    named.set(body.id, name);
    return body.id;
  };
  await make('Ada', {
    email: 'ada@one.example',
    leadScore: 10,
    stage: 'new',
    tags: ['Hot'],
    metadata: { plan: 'pro' },
  });
  await make('Bo', {
    phone: '+49 (170) 123-45-67',
    leadScore: 80,
    stage: 'customer',
    assignedToUserId: workspace.memberId,
  });
  await make('José', {
    email: 'Jose@Two.example',
    company: 'Ärzte AG',
    fields: {
      budget: { amount: 500, currency: 'EUR' },
      seats: 12,
      plan: 'Gold',
      topics: ['A', 'B'],
      since: '2026-02-03',
    },
  });
  const dee = await make('Dee', {
    username: 'dee',
    fields: { budget: { amount: 900, currency: 'USD' }, seats: 3, plan: 'Silver', topics: ['B'] },
  });
  await live.put(`/v1/contacts/${dee}/companies`, { items: [{ companyId }] }, 200);
  tagId = (await live.get('/v1/tags')).body.items[0].id;
});

const namesOf = (items: { id: number }[]) => items.map(({ id }) => named.get(id));
const find = async (filter: object) =>
  namesOf((await live.post('/v1/contacts/search', { filter, sort: [{ field: 'id' }] }, 200)).body.items);

describe('a filter finds', () => {
  test.each<[string, string, unknown, string[]]>([
    ['name', 'eq', 'jose', ['José']],
    ['name', 'ne', 'ada', ['Bo', 'José', 'Dee']],
    ['name', 'contains', 'O', ['Bo', 'José']],
    ['name', 'startsWith', 'd', ['Dee']],
    ['name', 'in', ['ADA', 'bo'], ['Ada', 'Bo']],
    ['email', 'eq', 'jose@two.example', ['José']],
    ['email', 'isNotSet', undefined, ['Bo', 'Dee']],
    ['email', 'notIn', ['ada@one.example'], ['Bo', 'José', 'Dee']],
    ['phone', 'eq', '0049 170 1234567', ['Bo']],
    ['phone', 'contains', '170-123', ['Bo']],
    ['addresses', 'eq', '+491701234567', ['Bo']],
    ['addresses', 'contains', 'one.', ['Ada']],
    ['company', 'eq', 'arzte ag', ['José']],
    ['stage', 'eq', 'Customer', ['Bo']],
    ['stage', 'in', ['customer', 'lost'], ['Bo']],
    ['leadScore', 'gt', 10, ['Bo']],
    ['leadScore', 'between', [10, 80], ['Ada', 'Bo']],
    ['leadScore', 'ne', 10, ['Bo', 'José', 'Dee']],
    ['leadScoreIsAi', 'eq', false, ['Ada', 'Bo', 'José', 'Dee']],
    ['assignedToUserId', 'isSet', undefined, ['Bo']],
    ['tags', 'eq', 'hot', ['Ada']],
    ['tags', 'isNotSet', undefined, ['Bo', 'José', 'Dee']],
    ['tags', 'ne', 'hot', ['Bo', 'José', 'Dee']],
    ['companyId', 'isSet', undefined, ['Dee']],
    ['metadata.plan', 'eq', 'PRO', ['Ada']],
    ['metadata.plan', 'isNotSet', undefined, ['Bo', 'José', 'Dee']],
    ['createdAt', 'gte', 'today-1d', ['Ada', 'Bo', 'José', 'Dee']],
    ['createdAt', 'lt', 'startOfYear-1y', []],
    ['updatedAt', 'isSet', undefined, ['Dee']],
    ['fields.budget', 'gte', { amount: 500, currency: 'EUR' }, ['José']],
    ['fields.budget', 'ne', { amount: 500, currency: 'EUR' }, ['Ada', 'Bo', 'Dee']],
    ['fields.seats', 'lte', 3, ['Dee']],
    ['fields.plan', 'eq', 'gold', ['José']],
    ['fields.topics', 'in', ['A'], ['José']],
    ['fields.topics', 'eq', 'B', ['José', 'Dee']],
    ['fields.since', 'between', ['2026-02-01', '2026-02-28'], ['José']],
    ['fields.since', 'lt', 'today', ['José']],
  ])('%s %s %j', async (field, op, value, expected) => {
    expect(await find({ field, op, value })).toEqual(expected);
  });

  test('records by the id of a tag, a company, or a member', async () => {
    expect(await find({ field: 'tags', op: 'in', value: [tagId] })).toEqual(['Ada']);
    expect(await find({ field: 'companyId', op: 'eq', value: companyId })).toEqual(['Dee']);
    expect(await find({ field: 'assignedToUserId', op: 'eq', value: workspace.memberId })).toEqual(['Bo']);
  });

  test('records by groups of conditions', async () => {
    const [isNew, isHigh] = [
      { field: 'stage', op: 'eq', value: 'new' },
      { field: 'leadScore', op: 'gte', value: 50 },
    ];
    expect(await find({ and: [isNew, isHigh] })).toEqual([]);
    expect(await find({ or: [{ field: 'name', op: 'eq', value: 'ada' }, isHigh] })).toEqual(['Ada', 'Bo']);
    expect(await find({ not: isHigh })).toEqual(['Ada', 'José', 'Dee']);
    expect(await find({ and: [{ not: { or: [isHigh, { field: 'name', op: 'eq', value: 'dee' }] } }, isNew] })).toEqual([
      'Ada',
      'José',
    ]);
  });
});

describe('a filter is refused', () => {
  const deep = { not: { not: { not: { not: { field: 'name', op: 'isSet' } } } } };
  const ok = { field: 'name', op: 'isSet' };
  test.each<[string, object, string, string]>([
    [
      'an unknown field',
      { and: [ok, { field: 'nothing', op: 'eq', value: 1 }] },
      'filter.and[1].field',
      'unknown_reference',
    ],
    ['an unknown slug', { field: 'fields.none', op: 'isSet' }, 'filter.field', 'unknown_reference'],
    ['no field', { op: 'isSet' }, 'filter.field', 'required'],
    ['an operator of numbers for a text', { field: 'name', op: 'gt', value: 'a' }, 'filter.op', 'invalid_enum'],
    ['one of texts for a number', { field: 'leadScore', op: 'contains', value: 1 }, 'filter.op', 'invalid_enum'],
    [
      'an object for an operator',
      { and: [{ field: 'name', op: { toString: 1 } }] },
      'filter.and[0].op',
      'invalid_type',
    ],
    ['nothing for conditions', { and: null }, 'filter.and', 'invalid_type'],
    ['an unknown operator', { field: 'name', op: 'like', value: 'a' }, 'filter.op', 'invalid_enum'],
    ['a text for a number', { field: 'leadScore', op: 'eq', value: '1' }, 'filter.value', 'invalid_type'],
    ['null', { field: 'leadScore', op: 'eq', value: null }, 'filter.value', 'required'],
    ['a wrong value in a list', { field: 'leadScore', op: 'in', value: [1, 'x'] }, 'filter.value[1]', 'invalid_type'],
    ['an empty list', { field: 'leadScore', op: 'in', value: [] }, 'filter.value', 'too_short'],
    ['a range turned round', { field: 'leadScore', op: 'between', value: [2, 1] }, 'filter.value', 'out_of_range'],
    ['half a range', { field: 'leadScore', op: 'between', value: [2] }, 'filter.value', 'too_short'],
    ['a word for a time', { field: 'createdAt', op: 'gt', value: 'yesterday' }, 'filter.value', 'invalid_format'],
    ['a wrong offset', { field: 'createdAt', op: 'gt', value: 'today+3x' }, 'filter.value', 'invalid_format'],
    ['an unknown choice', { field: 'stage', op: 'eq', value: 'best' }, 'filter.value', 'invalid_enum'],
    ['an unknown tag', { field: 'tags', op: 'eq', value: 999 }, 'filter.value', 'unknown_reference'],
    ['an unknown company', { field: 'companyId', op: 'eq', value: 999 }, 'filter.value', 'unknown_reference'],
    [
      'an unknown member',
      { field: 'assignedToUserId', op: 'in', value: [999] },
      'filter.value[0]',
      'unknown_reference',
    ],
    [
      'an unknown member of a custom field',
      { field: 'fields.owner', op: 'eq', value: 999 },
      'filter.value',
      'unknown_reference',
    ],
    [
      'an unknown company of one',
      { field: 'fields.agency', op: 'in', value: [999] },
      'filter.value[0]',
      'unknown_reference',
    ],
    ['a value for isSet', { field: 'name', op: 'isSet', value: 1 }, 'filter.value', 'not_allowed'],
    ['an empty group', { and: [] }, 'filter.and', 'too_short'],
    ['a group that is no list', { and: ok }, 'filter.and', 'invalid_type'],
    ['two groups in one', { and: [ok], or: [ok] }, 'filter', 'not_allowed'],
    ['six levels', { not: deep }, 'filter.not.not.not.not.not', 'too_many'],
    ['51 conditions in a group', { and: Array.from({ length: 51 }, () => ok) }, 'filter.and', 'too_many'],
    [
      '52 conditions in groups',
      { and: [{ or: Array.from({ length: 26 }, () => ok) }, { or: Array.from({ length: 26 }, () => ok) }] },
      'filter',
      'too_many',
    ],
    [
      '1,001 values',
      {
        or: [...Array.from({ length: 5 }, () => 200), 1].map((length) => ({
          field: 'name',
          op: 'in',
          value: Array.from({ length }, () => 'x'),
        })),
      },
      'filter',
      'too_many',
    ],
  ])('for %s', async (_, filter, field, code) => {
    const { body } = await live.post('/v1/contacts/search', { filter }, 400);
    expect(body.details.fields.map((one: object) => ({ ...one, message: '' }))).toContainEqual({
      field,
      code,
      message: '',
    });
  });

  test('for all of its faults at once', async () => {
    const filter = {
      or: [
        { field: 'x', op: 'eq', value: 1 },
        { field: 'leadScore', op: 'eq', value: 'y' },
      ],
    };
    const { body } = await live.post('/v1/contacts/search', { filter }, 400);
    expect(body.details.fields.map(({ field }: { field: string }) => field)).toEqual([
      'filter.or[0].field',
      'filter.or[1].value',
    ]);
  });
});

test('a deal is found by its board, its column, and its company', async () => {
  const { items } = (await live.get('/v1/pipelines', { kind: 'deal' })).body;
  const { body: deal } = await live.post('/v1/deals', { title: 'X', companyId, stage: 'proposal' }, 201);
  const { pipeline } = (await live.get(`/v1/deals/${deal.id}`, { include: 'pipeline' })).body;
  for (const [field, value] of [
    ['pipelineId', items[0].id],
    ['columnId', pipeline.columnId],
    ['companyId', companyId],
  ])
    expect((await live.post('/v1/deals/search', { filter: { field, op: 'eq', value } }, 200)).body.items).toHaveLength(
      1,
    );
});

test('the id of a merged company finds what its target has', async () => {
  const { live: own } = await newWorkspace();
  await own.post('/v1/fields', { object: 'contact', slug: 'agency', title: 'Agency', type: 'company' }, 201);
  const { body: source } = await own.post('/v1/companies', { name: 'Source' }, 201);
  const { body: target } = await own.post('/v1/companies', { name: 'Target' }, 201);
  const { body: contact } = await own.post('/v1/contacts', { name: 'Moved', fields: { agency: source.id } }, 201);
  await own.post(`/v1/companies/${target.id}/merge`, { sourceCompanyId: source.id }, 200);
  await settle();
  for (const value of [source.id, target.id]) {
    const filter = { field: 'fields.agency', op: 'eq', value };
    const { items } = (await own.post('/v1/contacts/search', { filter }, 200)).body;
    expect(items.map(({ id }: { id: number }) => id)).toEqual([contact.id]);
  }
});

test('a company is found by its domains', async () => {
  await live.post('/v1/companies', { name: 'Without', domains: [] }, 201);
  const two = { name: 'Two', domains: ['one.example.org', 'two.example.net'] };
  await live.post('/v1/companies', two, 201);
  for (const [op, value, expected] of [
    ['eq', 'TWO.example.net', ['Two']],
    ['in', ['two.example.net', 'mueller.example.com'], ['Müller GmbH', 'Two']],
    ['contains', 'example.org', ['Two']],
    ['ne', 'one.example.org', ['Müller GmbH', 'Without']],
    ['isNotSet', undefined, ['Without']],
  ] as const) {
    const body = { filter: { field: 'domains', op, value }, sort: [{ field: 'id' }] };
    const { items } = (await live.post('/v1/companies/search', body, 200)).body;
    expect(
      items.map(({ name }: { name: string }) => name),
      op,
    ).toEqual(expected);
  }
});

test('today is a day of the given zone, or else of that of the workspace', async () => {
  const { live: own, id: workspaceId } = await newWorkspace();
  // Their days are never the same: they are 25 hours apart.
  const [east, west] = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'] as const;
  await own.post('/v1/fields', { object: 'task', slug: 'day', title: 'Day', type: 'date' }, 201);
  const dayIn = (timeZone: string) => new Intl.DateTimeFormat('sv', { timeZone }).format(now());
  for (const zone of [east, west]) await own.post('/v1/tasks', { title: zone, fields: { day: dayIn(zone) } }, 201);
  const filter = { field: 'fields.day', op: 'eq', value: 'today' };
  const found = async (timeZone?: string) =>
    (await own.post('/v1/tasks/search', { filter, timeZone }, 200)).body.items.map(
      ({ title }: { title: string }) => title,
    );
  for (const zone of [east, west]) {
    await transact({ workspaceId, env: 'live' }, operator, (tx) => patchWorkspace(tx, { timeZone: zone }));
    expect(await found()).toEqual([zone]);
  }
  expect(await found(east)).toEqual([east]);
});

test('a task is found by what is overdue', async () => {
  await live.post('/v1/tasks', { title: 'Late', dueAt: '2020-01-01T00:00:00Z' }, 201);
  await live.post('/v1/tasks', { title: 'Early', dueAt: '2099-01-01T00:00:00Z' }, 201);
  const filter = { field: 'isOverdue', op: 'eq', value: true };
  const { items } = (await live.post('/v1/tasks/search', { filter }, 200)).body;
  expect(items).toMatchObject([{ title: 'Late', status: 'Open', isOverdue: true }]);
});

test.each<[string, unknown]>([
  [
    'thousands of groups',
    Array.from({ length: 3 }).reduce<unknown>((inner) => ({ and: Array.from({ length: 50 }, () => inner) }), 1),
  ],
  ['a time of endless offsets', { field: 'createdAt', op: 'gt', value: `now${'+1d-1d'.repeat(10_000)}` }],
])('a filter of %s is refused with few faults', async (_, filter) => {
  const { body } = await live.post('/v1/contacts/search', { filter }, 400);
  expect(body.details.fields.length).toBeLessThanOrEqual(50);
});

test('a forged time of a cursor is 400', async () => {
  const filter = { field: 'createdAt', op: 'gte', value: 'today-1y' };
  const { nextCursor } = (await live.post('/v1/contacts/search', { filter, limit: 1 }, 200)).body;
  const [digest, , keys, id] = JSON.parse(Buffer.from(nextCursor, 'base64url').toString());
  const cursor = Buffer.from(JSON.stringify([digest, 'x', keys, id])).toString('base64url');
  await live.post('/v1/contacts/search', { filter, limit: 1, cursor }, 400);
});
