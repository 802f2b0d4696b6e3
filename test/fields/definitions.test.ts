import { beforeAll, expect, test } from 'vitest';
import { eventsAbout } from '#test/feed.ts';
import { because } from '#test/refusals.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

let made = 0;
const newField = async (given: object = {}) => {
  made += 1;
  const field = { object: 'contact', slug: `field_${made}`, title: `Field ${made}`, type: 'text', ...given };
  return (await workspace.live.post('/v1/fields', field, 201)).body;
};

test('a field has what was given, and the defaults of the rest', async () => {
  const field = await newField({ slug: 'budget', title: 'Budget', type: 'number', isUnique: true });
  expect(field).toEqual({
    id: field.id,
    object: 'contact',
    slug: 'budget',
    title: 'Budget',
    description: null,
    type: 'number',
    options: [],
    isRequired: false,
    isUnique: true,
    position: 1,
    isArchived: false,
    createdAt: expect.any(String),
    updatedAt: null,
  });
  expect((await workspace.live.get(`/v1/fields/${field.id}`)).body).toEqual(field);
  expect((await workspace.live.get('/v1/fields', { object: 'contact' })).body.items).toEqual([field]);
  expect((await workspace.live.get('/v1/fields', { object: 'deal' })).body.items).toEqual([]);
});

test('a contact takes and shows values', async () => {
  const { slug } = await newField({ type: 'number' });
  const { body } = await workspace.live.post('/v1/contacts?include=fields', { name: 'Ada', fields: { [slug]: 7.5 } }, 201);
  expect(body.fields).toMatchObject({ [slug]: 7.5 });
  expect((await workspace.live.get(`/v1/contacts/${body.id}/fields`)).body.fields[slug]).toBe(7.5);
});
