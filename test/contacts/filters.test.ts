import fc from 'fast-check';
import * as v from 'valibot';
import { beforeAll, expect, test } from 'vitest';
import { listContacts } from '#lib/contacts/list.ts';
import type { FieldError } from '#lib/core/problem.ts';
import { operator } from '#lib/core/tenant.ts';
import { Contact, ContactQuery, Contacts, type StoredContact } from '#lib/entities/contact.ts';
import { transact } from '#lib/table/transact.ts';
import { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { type Answer, everyItem } from '#test/client.ts';
import { contactRow } from '#test/contacts/row.ts';
import { mcp } from '#test/mcp/client.ts';
import { rowsRead } from '#test/rows.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

/** Few values of each kind, so that filters meet. */
const names = ['Ada', 'ada lovelace', 'Grace Hopper', 'Ägnes Müller', 'Анна', 'O\'Hara "Q"', '50% off_', 'line\nbreak'];
const usernames = ['ada', 'ADA_1', 'grace.h', 'hopper', 'x'];
const phones = ['+1 (555) 0100', '15550100', '+49 30 12345', '030-12345'];
const emails = ['ada@example.com', 'ADA@EXAMPLE.COM', 'grace@navy.mil', 'a+b@c.de'];
const platforms = ['telegram', 'twitter'] as const;
const stages = ['new', 'contacted', 'lost'] as const;
const tagCount = 3;
const contactCount = 300;

let workspace: TestWorkspace;
let contacts: StoredContact[];
let tagIds: number[];
let members: (number | null)[];

const operatorShown = { type: 'user', id: null } as const;
const pick = <T>(values: readonly T[], random: number) => values[random % values.length] as T;
const orNull = <T>(values: readonly T[], random: number) => (random % 3 === 0 ? null : pick(values, random >> 2));

beforeAll(async () => {
  workspace = await newWorkspace();
  members = [null, workspace.memberId];
  const tags = await Promise.all(
    Array.from({ length: tagCount }, (_, index) => workspace.live.post('/v1/tags', { name: `tag ${index}` })),
  );
  tagIds = tags.map(({ body }) => body.id);
  const seeds = fc.sample(fc.array(fc.nat(), { minLength: 12, maxLength: 12 }), { numRuns: contactCount, seed: 7 });
  contacts = [];
  for (let start = 0; start < contactCount; start += 50) {
    contacts.push(
      ...(await transact({ workspaceId: workspace.id, env: 'live' }, operator, async (tx) => {
        await tx.reserveIds({ [Contacts.name]: 50 });
        const made: StoredContact[] = [];
        for (const seed of seeds.slice(start, start + 50)) {
          const at = (index: number) => seed[index] as number;
          made.push(
            tx.create(
              Contacts,
              contactRow({
                id: await tx.nextId(Contacts),
                platform: pick(platforms, at(0)),
                name: orNull(names, at(1)),
                username: orNull(usernames, at(2)),
                phone: orNull(phones, at(3)),
                email: orNull(emails, at(4)),
                company: orNull(names, at(5)),
                notes: orNull(usernames, at(5)),
                stage: pick(stages, at(6)),
                leadScore: orNull([0, 10, 50, 100], at(7)),
                assignedToUserId: pick(members, at(8)),
                createdAt: `2026-0${1 + (at(9) % 9)}-01T00:00:00Z`,
                updatedAt: at(10) % 2 === 0 ? null : `2026-11-0${1 + (at(10) % 9)}T00:00:00Z`,
                hasUnreadMessages: at(10) % 5 === 0,
                tagIds: tagIds.filter((_, index) => (at(11) >> index) % 2 === 0),
                ...(at(7) % 5 === 1 && { archive: { archivedAt: '2026-11-20T00:00:00Z', archivedBy: operatorShown } }),
                metadata: at(11) % 4 === 0 ? { source: pick(usernames, at(11) >> 2), lang: 'de' } : {},
              }),
            ),
          );
        }
        return made;
      })),
    );
  }
});

const digits = (phone: string) => phone.replace(/\D/g, '');
type Model = Record<string, (contact: StoredContact, value: string) => boolean>;

const bare = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
/** Digits of a phone word are looked for in names as well. */
const isOfPhone = (texts: readonly string[], word: string) =>
  /^[\d+()./-]*\d[\d+()./-]*$/.test(word) &&
  [/^00/, /^0{0,2}(?=\d{3})/]
    .map((zeros) => digits(word).replace(zeros, ''))
    .some((number) => number !== '' && texts.some((text) => text.includes(number)));

const isPart = (word = '') => /^[\d+()./-]+$/.test(word);
/** The parts of a phone number that follow each other, of which a word is one. */
function runAround(words: readonly string[], index: number): string {
  if (!isPart(words[index])) return '';
  let start = index;
  let end = index + 1;
  while (isPart(words[start - 1])) start -= 1;
  while (isPart(words[end])) end += 1;
  return words.slice(start, end).join('');
}

const model: Model = {
  q: ({ name, username, phone }, value) =>
    value.split(/\s+/).every((word, index, words) => {
      const texts = [bare(name ?? ''), bare(username ?? ''), digits(phone ?? '')];
      return (
        [name, username, phone].some((text) => bare(text ?? '').includes(bare(word))) ||
        isOfPhone(texts, word) ||
        isOfPhone(texts, runAround(words, index))
      );
    }),
  stage: (contact, value) => contact.stage === value,
  assignedToUserId: (contact, value) => String(contact.assignedToUserId ?? 'none') === value,
  tagId: (contact, value) => contact.tagIds.includes(Number(value)),
  companyId: ({ companyLinks = [] }, value) => companyLinks.some(({ companyId }) => String(companyId) === value),
  minScore: ({ leadScore }, value) => leadScore !== null && leadScore >= Number(value),
  hasUnread: (contact, value) => String(contact.hasUnreadMessages) === value,
  email: ({ email }, value) => email?.toLowerCase() === value.toLowerCase(),
  phone: ({ phone }, value) => phone !== null && digits(phone) === digits(value),
  username: ({ username }, value) => username?.toLowerCase() === value.toLowerCase().replace(/^@/, ''),
  ids: ({ id }, value) => value.split(',').includes(String(id)),
  createdSince: ({ createdAt }, value) => createdAt >= value,
  updatedSince: ({ createdAt, updatedAt }, value) => (updatedAt ?? createdAt) >= value,
  'metadata.source': ({ metadata }, value) => metadata['source'] === value,
  'metadata.lang': ({ metadata }, value) => metadata['lang'] === value,
  archived: ({ archive }, value) => value === 'all' || String(archive !== undefined) === value,
};

/** Filters that are called as a field is compare it. */
const compared = Object.keys(ContactQuery.entries).filter((name) => name in Contact.entries && !(name in model));
const textOf = (contact: StoredContact, field: string) => String((contact as Record<string, unknown>)[field] ?? '');
for (const field of compared) model[field] = (contact, value) => textOf(contact, field) === value;
const textsOf = (field: string) => [...new Set(contacts.map((contact) => textOf(contact, field)))].filter(Boolean);

test('the model knows every filter of the query', () => {
  const { after: _, limit: __, include: ___, ...filters } = ContactQuery.entries;
  const known = Object.keys(model).map((name) => name.replace(/^metadata\..*/, 'metadata'));
  expect(new Set(known)).toEqual(new Set(Object.keys(filters)));
});

const part = (text: string) =>
  fc
    .tuple(fc.nat(text.length - 1), fc.integer({ min: 1, max: 6 }))
    .map(([start, length]) => text.slice(start, start + length))
    .filter((found) => found.trim() === found && found !== '');

const filters = () =>
  fc.record(
    {
      ...Object.fromEntries(compared.map((field) => [field, fc.constantFrom(...textsOf(field))])),
      q: fc.oneof(
        fc.constantFrom(...names, ...usernames, ...phones).chain(part),
        fc.constantFrom('ADA', 'zzz', '%', '_', '"', '00', 'example', 'de', 'анна', 'MÜLLER'),
      ),
      stage: fc.constantFrom(...stages, 'qualified'),
      assignedToUserId: fc.constantFrom('none', String(workspace.memberId), '999999'),
      tagId: fc.constantFrom(...tagIds.map(String), '999999'),
      minScore: fc.constantFrom('0', '10', '11', '100'),
      hasUnread: fc.constantFrom('true', 'false'),
      email: fc.constantFrom(...emails, 'Grace@Navy.MIL', 'nobody@example.com'),
      phone: fc.constantFrom(...phones, '1 555 0100'),
      username: fc.constantFrom(...usernames, '@Ada', 'nobody'),
      ids: fc
        .array(fc.nat(contactCount + 5), { minLength: 1, maxLength: 60 })
        .map((offsets) => offsets.map((offset) => offset + (contacts[0] as StoredContact).id).join(',')),
      createdSince: fc.constantFrom('2026-01-01T00:00:00Z', '2026-05-01T00:00:00Z', '2026-12-01T00:00:00Z'),
      updatedSince: fc.constantFrom('2026-01-01T00:00:00Z', '2026-11-05T00:00:00Z', '2026-12-01T00:00:00Z'),
      'metadata.source': fc.constantFrom(...usernames),
      'metadata.lang': fc.constantFrom('de', 'd', ''),
      archived: fc.constantFrom('false', 'true', 'all'),
    },
    { requiredKeys: [] },
  );

const expected = (query: Record<string, string>) =>
  contacts
    .filter((contact) =>
      Object.entries({ archived: 'false', ...query }).every(
        ([name, value]) => value === '' || model[name]?.(contact, value),
      ),
    )
    .map(({ id }) => id)
    .sort((a, b) => b - a);

test('any combination of filters finds, on pages of any size, exactly what a naive filter finds', async () => {
  await fc.assert(
    fc.asyncProperty(filters(), fc.constantFrom(1, 3, 25, 100), async (chosen, limit) => {
      // At most four at once: more rarely leave anything.
      const query = Object.fromEntries(Object.entries(chosen).slice(0, 4)) as Record<string, string>;
      const found = expected(query);
      fc.pre(found.length / limit <= 12);
      const items = await everyItem(workspace.live, '/v1/contacts', { ...query, limit });
      expect({ query, ids: items.map(({ id }) => id) }).toEqual({ query, ids: found });
    }),
    { numRuns: 80 },
  );
});

test('every single filter finds exactly what a naive filter finds', async () => {
  for (const [name, arbitrary] of [
    ['q', fc.constantFrom(...names, ...usernames, ...phones).chain(part)],
    [
      'ids',
      fc.constant(
        contacts
          .slice(0, 100)
          .map(({ id }) => id)
          .join(','),
      ),
    ],
    ['phone', fc.constantFrom(...phones)],
    ['email', fc.constantFrom(...emails)],
    ['username', fc.constantFrom(...usernames)],
    ['tagId', fc.constantFrom(...tagIds.map(String))],
    ['hasUnread', fc.constantFrom('true', 'false')],
  ] as const) {
    for (const value of fc.sample(arbitrary as fc.Arbitrary<string>, 4)) {
      const items = await everyItem(workspace.live, '/v1/contacts', { [name]: value, limit: 100 });
      expect({ name, value, ids: items.map(({ id }) => id) }).toEqual({
        name,
        value,
        ids: expected({ [name]: value }),
      });
    }
  }
});

test('a filter shows a contact as get-by-id does, without tags', async () => {
  const { body } = await workspace.live.get('/v1/contacts', { q: 'ada', limit: 1 });
  const { tags, ...contact } = (await workspace.live.get(`/v1/contacts/${body.items[0].id}`)).body;
  expect(body.items).toEqual([contact]);
});

test('more than a hundred ids are refused', async () => {
  const ids = Array.from({ length: 101 }, (_, index) => index + 1).join(',');
  const { status, body } = await workspace.live.get('/v1/contacts', { ids });
  expect([status, body.details.fields[0].field]).toEqual([400, 'query.ids']);
});

test('the pairs of metadata that a list is filtered by are looked for together', async () => {
  const tx = () => new UnitOfWork({ workspaceId: workspace.id, env: 'live' }, operator);
  const filter = (metadata: Record<string, string>) => listContacts(tx(), v.parse(ContactQuery, { metadata }));
  const others = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`absent${index}`, 'x']));
  const read = (metadata: Record<string, string>) => rowsRead(() => filter(metadata));
  expect(await read({ lang: 'none', ...others })).toBe(await read({ lang: 'none' }));
});

const nouns = ['contacts', 'deals', 'tasks'];
const forms = { dotted: (key: string) => `metadata.${key}`, bracketed: (key: string) => `metadata[${key}]` };
const errorsOf = ({ body }: Answer) => (body.details?.fields ?? []).map(({ field, code }: FieldError) => [field, code]);

test.each(nouns.flatMap((noun) => Object.entries(forms).map(([form, named]) => ({ noun, form, named }))))(
  'a list of $noun takes ten pairs of $form metadata, as they may be stored',
  async ({ noun, named }) => {
    const query = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [named(`key${index}`), 'x']));
    const refused = async (filter: Record<string, string>) => {
      const answer = await workspace.live.get(`/v1/${noun}`, filter);
      return [answer.status, ...errorsOf(answer)];
    };
    expect(await refused(query(10))).toEqual([200]);
    expect(await refused(query(11))).toEqual([400, ['query.metadata', 'too_many']]);
    expect(await refused({ [named('with space')]: 'x' })).toEqual([
      400,
      ['query.metadata.with space', 'invalid_format'],
    ]);
    expect(await refused({ [named('')]: 'x' })).toEqual([400, ['query.metadata.', 'invalid_format']]);
    expect(await refused({ [named('key')]: 'x'.repeat(501) })).toEqual([400, ['query.metadata.key', 'too_long']]);
  },
);

test.each(nouns)('metadata of %s is found by a key in brackets, percent-encoded or not', async (noun) => {
  const made = await workspace.live.post(
    `/v1/${noun}`,
    {
      contacts: { platform: 'telegram', name: 'Ada' },
      deals: { title: 'Engine' },
      tasks: { title: 'Call' },
    }[noun],
  );
  await workspace.live.put(`/v1/${noun}/${made.body.id}/metadata`, { metadata: { 'ext.id': 'x=[7]', kind: 'a' } });
  const found = async (query: string) => {
    const { body, headers } = await workspace.live.get(`/v1/${noun}?${query}`);
    const ids = body.items?.map(({ id }: { id: number }) => id);
    return [ids ?? body.details.fields[0].field, headers['x-ignored-parameters']];
  };
  const one = [[made.body.id], undefined];
  expect(await found('metadata[ext.id]=x=[7]')).toEqual(one);
  expect(await found('metadata%5Bext.id%5D=x%3D%5B7%5D')).toEqual(one);
  expect(await found('metadata%5bext.id%5d=x%3D%5b7%5d&metadata.kind=a')).toEqual(one);
  expect(await found('metadata[ext.id]=x=[7]&metadata[kind]=b')).toEqual([[], undefined]);
  expect(await found('metadata[kind]=a&metadata.kind=b')).toEqual(['query.metadata.kind', undefined]);
  expect(await found('metadata[kind][eq]=a')).toEqual(['query.metadata.kind][eq', undefined]);
  expect(await found('metadata[kind]=a&metadata[kind=b')).toEqual([[made.body.id], 'metadata[kind']);
});

test.each(nouns)('the search for %s takes ten pairs of metadata, too', async (noun) => {
  const metadata = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`key${index}`, 'x']));
  const { value, isError } = await mcp(workspace.liveKey).call(`${noun}_search`, { filters: { metadata } });
  expect([isError, value.details.fields.map(({ code }: FieldError) => code)]).toEqual([true, ['too_many']]);
});
