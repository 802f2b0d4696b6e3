import { beforeAll, expect, test } from 'vitest';
import { everyItem } from '#test/client.ts';
import { newBoard, newDeal } from '#test/pipelines/boards.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
  for (const object of ['contact', 'company', 'deal'])
    await workspace.live.post('/v1/fields', { object, slug: 'code', title: 'Code', type: 'text', isUnique: true }, 201);
});

const atOnce = [1, 2, 3, 4];
const ten = Array.from({ length: 10 }, (_, n) => n);

test.each([
  ['contacts', 'fields.code', { name: 'Ada', fields: { code: 'one' } }],
  ['companies', 'fields.code', { name: 'Engines', fields: { code: 'one' } }],
  ['contacts', 'email', { name: 'Edward', email: 'edward@at-once.example' }],
  ['companies', 'domain', { name: 'Looms', domain: 'looms-at-once.com' }],
  ['companies', 'name', { name: 'Mills' }],
])('ten upserts of %s at once by %s answer 201 once and 200 otherwise', async (noun, matchOn, given) => {
  // On a busy machine one that meets the others for too long is told to come again.
  const untilTaken = async () => {
    for (;;) {
      const answer = await workspace.live.post(`/v1/${noun}/upsert`, { matchOn, ...given });
      if (answer.status !== 503) return answer;
    }
  };
  const answers = await Promise.all(ten.map(untilTaken));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 201]);
  const ids = new Set(answers.map(({ body }) => body.id));
  expect(ids.size).toBe(1);
  const { items } = (await workspace.live.get(`/v1/${noun}`, { q: given.name })).body;
  expect(items.map((item: { id: number }) => item.id)).toEqual([...ids]);
});

test.each([
  [
    'contacts',
    'email',
    { name: 'Mary', email: 'mary@at-once.example' },
    { name: 'Jane', email: 'jane@at-once.example' },
  ],
  ['companies', 'domain', { name: 'Dyes', domain: 'dyes-at-once.com' }, { name: 'Inks', domain: 'inks-at-once.com' }],
])('an upsert of %s by %s is refused for a unique value that another record has', async (noun, matchOn, one, other) => {
  const fields = { code: `of ${noun}` };
  const made = await workspace.live.post(`/v1/${noun}/upsert`, { matchOn, ...one, fields }, 201);
  const { body } = await workspace.live.post(`/v1/${noun}/upsert`, { matchOn, ...other, fields }, 409);
  expect(body.details).toMatchObject({ reason: 'field_value_taken', field: 'code', id: made.body.id });
});

test('two records that change to one unique value at once do not both have it', async () => {
  const deals = await Promise.all(atOnce.map(() => workspace.live.post('/v1/deals', { title: 'Engine' }, 201)));
  const answers = await Promise.all(
    deals.map(({ body }) => workspace.live.patch(`/v1/deals/${body.id}`, { fields: { code: 'Shared' } })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  const all = await everyItem(workspace.live, '/v1/deals', { include: 'fields' });
  expect(all.filter(({ fields }) => fields.code === 'Shared')).toHaveLength(1);
});

test('a restore and a creation with one unique value at once leave it to one of them', async () => {
  const { live } = workspace;
  const make = () => live.post('/v1/contacts', { name: 'Rival', fields: { code: 'rivals' } });
  const { id } = (await make()).body;
  await live.post(`/v1/contacts/${id}/archive`, {}, 200);
  const answers = await Promise.all([live.post(`/v1/contacts/${id}/restore`, {}), make()]);
  expect(answers.map(({ status }) => status).filter((status) => status === 409)).toHaveLength(1);
  const all = await everyItem(live, '/v1/contacts', { include: 'fields', q: 'Rival' });
  expect(all.filter(({ fields }) => fields.code === 'rivals')).toHaveLength(1);
});

test('changes of one field at once leave the options of one of them, each label once', async () => {
  const { live } = workspace;
  const field = { object: 'contact', slug: 'size', title: 'Size', type: 'select', options: [{ label: 'S' }] };
  const { body: made } = await live.post('/v1/fields', field, 201);
  const answers = await Promise.all(
    atOnce.map((n) =>
      live.patch(`/v1/fields/${made.id}`, { title: `Size ${n}`, options: [...made.options, { label: 'M' }] }),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(atOnce.map(() => 200));
  const { title, options } = (await live.get(`/v1/fields/${made.id}`)).body;
  expect(atOnce.map((n) => `Size ${n}`)).toContain(title);
  const open = options.filter(({ isArchived }: { isArchived: boolean }) => !isArchived);
  expect(open.map(({ label }: { label: string }) => label)).toEqual(['S', 'M']);
  expect(new Set(options.map(({ id }: { id: number }) => id)).size).toBe(options.length);
});

test('a deal that is moved to several columns at once is in one, and is counted there alone', async () => {
  const { live } = workspace;
  const board = await newBoard(workspace, ['lead', 'lead', 'qualified', 'proposal']);
  const columns = board.columns.slice(0, 4).map(({ id }) => id);
  const deal = await newDeal(workspace, { columnId: columns[0] });
  const answers = await Promise.all(columns.map((columnId) => live.post(`/v1/deals/${deal.id}/column`, { columnId })));
  expect(answers.map(({ status }) => status)).toEqual(columns.map(() => 200));
  const { pipeline } = (await live.get(`/v1/deals/${deal.id}`, { include: 'pipeline' })).body;
  const shown = (await live.get(`/v1/pipelines/${board.id}`)).body.columns;
  expect(shown.filter(({ count }: { count: number }) => count > 0)).toMatchObject([
    { id: pipeline.columnId, count: 1 },
  ]);
});
