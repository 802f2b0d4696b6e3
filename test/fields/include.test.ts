import { beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '#test/client.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let live: TestWorkspace['live'];
beforeAll(async () => {
  ({ live } = await newWorkspace());
  for (const object of ['contact', 'company', 'deal', 'task'])
    await live.post('/v1/fields', { object, slug: 'color', title: 'Color', type: 'text' }, 201);
});

const fields = { color: null };
const always = { fields, archive: null };
const nouns = [
  { noun: 'contacts', given: { name: 'Ada' }, members: { ...always, companies: [], addresses: [], updatedAt: null } },
  { noun: 'companies', given: { name: 'Engines' }, members: always },
  {
    noun: 'deals',
    given: { title: 'Engine' },
    members: { ...always, company: null, owner: { assignedToUserId: null }, pipeline: expect.any(Object) },
  },
  { noun: 'tasks', given: { title: 'Call' }, members: always },
];

describe.each(nouns)('include of $noun', ({ noun, given, members }) => {
  const path = `/v1/${noun}`;

  test.each(Object.entries(members))('adds %s alone, to every answer with the record', async (name, member) => {
    const include = `include=${name}`;
    const { id, ...plain } = (await live.post(path, given, 201)).body;
    const answers: [string, Answer['body']][] = [
      ['create', (await live.post(`${path}?${include}`, given, 201)).body],
      ['get', (await live.get(`${path}/${id}?${include}`, {}, 200)).body],
      ['list', (await live.get(`${path}?${include}&ids=${id}`, {}, 200)).body.items[0]],
      ['search', (await live.post(`${path}/search`, { include: name, limit: 1 }, 200)).body.items[0]],
      ['archive', (await live.post(`${path}/${id}/archive?${include}`, {}, 200)).body],
      ['restore', (await live.post(`${path}/${id}/restore?${include}`, {}, 200)).body],
      ['change', (await live.patch(`${path}/${id}?${include}`, given, 200)).body],
    ];
    const one = Object.keys(
      (await live.post(`${path}/batch`, { items: [{ op: 'update', id }] }, 200)).body.results[0],
    )[2];
    for (const atomic of [false, true]) {
      const items = [
        { op: 'create', ...given },
        { op: 'update', id: 999_999 },
        { op: 'update', id, ...given },
      ];
      const answer = await live.post(
        `${path}/batch?${include}`,
        { items: atomic ? [items[0], items[2]] : items, atomic },
        200,
      );
      for (const result of answer.body.results)
        if (result.error === null) answers.push([`batch, atomic ${atomic}`, result[one as string]]);
    }
    if (noun === 'companies') {
      const upsert = { matchOn: 'name', name: 'Upserted' };
      const merge = { sourceCompanyId: answers[0]?.[1].id };
      answers.push(['upsert', (await live.post(`${path}/upsert?${include}`, upsert)).body]);
      answers.push(['merge', (await live.post(`${path}/${id}/merge?${include}`, merge, 200)).body]);
    }
    expect(plain).not.toHaveProperty(name);
    for (const [what, answer] of answers) {
      const added = Object.keys(answer).filter((key) => Object.hasOwn(members, key));
      expect(added, what).toEqual([name]);
      if (!['archive', 'updatedAt'].includes(name)) expect(answer[name], what).toEqual(member);
    }
  });

  test('is refused with a name that the record does not have', async () => {
    const { id } = (await live.post(path, given, 201)).body;
    for (const name of ['unknown', noun === 'deals' ? 'addresses' : 'pipeline'])
      for (const { body, status } of [
        await live.get(path, { include: name }),
        await live.get(`${path}/${id}`, { include: name }),
        await live.patch(`${path}/${id}?include=${name}`, given),
        await live.post(`${path}/batch?include=${name}`, { items: [{ op: 'update', id }] }),
      ])
        expect([status, body.details?.fields]).toEqual([
          400,
          [expect.objectContaining({ field: 'query.include', code: 'invalid_enum' })],
        ]);
  });
});
