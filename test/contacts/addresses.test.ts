import { beforeAll, describe, expect, test } from 'vitest';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { suppress } from '#lib/email/suppressed.ts';
import { transact } from '#lib/table/transact.ts';
import { patchWorkspace } from '#lib/workspaces/store.ts';
import { between } from '#test/between.ts';
import { eventually, everyItem } from '#test/client.ts';
import { receiveIn } from '#test/email/raw.ts';
import { eventsAbout } from '#test/feed.ts';
import { because } from '#test/refusals.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let live: TestWorkspace['live'];
let tenant: Tenant;
beforeAll(async () => {
  workspace = await newWorkspace();
  ({ live } = workspace);
  tenant = { workspaceId: workspace.id, env: 'live' };
});

const run = <Result>(work: Parameters<typeof transact<Result>>[2]) => transact(tenant, operator, work);
const setCountry = (country: string | null) => run((tx) => patchWorkspace(tx, { country }));

let made = 0;
const fresh = (name = 'ada') => {
  made += 1;
  return `${name}${made}@addresses.example`;
};
const contact = async (given: object = {}) => (await live.post('/v1/contacts', { name: 'Ada', ...given }, 201)).body;
const get = async (id: number) => (await live.get(`/v1/contacts/${id}`, undefined, 200)).body;
const addressesOf = async (id: number) =>
  (await live.get(`/v1/contacts/${id}/addresses`, undefined, 200)).body.items as Record<string, unknown>[];
const add = async (id: number, given: object, status = 201) =>
  (await live.post(`/v1/contacts/${id}/addresses`, { kind: 'email', ...given }, status)).body;
const valuesOf = async (id: number) => (await addressesOf(id)).map(({ value }) => value);
const idsBy = async (query: Record<string, string>) =>
  (await everyItem(live, '/v1/contacts', query)).map((one: { id: number }) => one.id);
const changedOf = async (id: number, count: number) => {
  const events = await eventsAbout(workspace.id, `contact/${id}`, count);
  return events.filter(({ event }) => event === 'contact.updated').map(({ data }) => data['changed']);
};

test('a contact shows what it was created with as its primary addresses', async () => {
  const { id, createdAt } = await contact({ email: 'Ada@MÜNCHEN.example', phone: '+49 (0)170 123-4567' });
  const same = { label: null, isPrimary: true, bouncedAt: null, createdAt };
  const items = [
    { id: 1, kind: 'email', value: 'Ada@MÜNCHEN.example', normalized: 'ada@xn--mnchen-3ya.example', ...same },
    { id: 2, kind: 'phone', value: '+49 (0)170 123-4567', normalized: '+491701234567', ...same },
  ];
  expect(await addressesOf(id)).toEqual(items);
  for (const path of [`/v1/contacts/${id}`, `/v1/contacts?ids=${id}`]) {
    const { body } = await live.get(path.split('?')[0] as string, { include: 'addresses', ids: String(id) });
    expect((body.items?.[0] ?? body).addresses).toEqual(items);
  }
  expect(await get(id)).not.toHaveProperty('addresses');
  expect(await addressesOf((await contact()).id)).toEqual([]);
});

test('an added address is found by every lookup, and is primary when it is the first of its kind', async () => {
  const [first, second] = [fresh(), fresh()];
  const { id } = await contact({ email: first });
  const added = await add(id, { value: second.toUpperCase(), label: 'home' });
  expect(added).toMatchObject({ id: 3, kind: 'email', label: 'home', isPrimary: false, normalized: second });
  expect(await add(id, { kind: 'phone', value: '+1 415 555 2671' })).toMatchObject({ id: 4, isPrimary: true });
  expect(await get(id)).toMatchObject({ email: first, phone: '+1 415 555 2671' });
  expect(await idsBy({ email: second })).toEqual([id]);
  expect(await idsBy({ phone: '001-415-5552671' })).toEqual([id]);
  expect(await idsBy({ phone: '+1 212 555 2671' })).toEqual([]);
  const filter = { field: 'addresses', op: 'eq', value: second.toUpperCase() };
  expect((await live.post('/v1/contacts/search', { filter }, 200)).body.items).toMatchObject([{ id }]);
  const mail = await receiveIn(workspace)({ from: `Ada <${second}>`, subject: 'From home' });
  expect((await live.get(`/v1/email/threads/${mail.threadId}`)).body.contactId).toBe(id);
  const twin = await contact({ email: second });
  for (const [of, other] of [
    [id, twin.id],
    [twin.id, id],
  ])
    expect((await live.get(`/v1/contacts/${of}/duplicates`)).body.items).toMatchObject([{ id: other }]);
  expect(await changedOf(id, 3)).toEqual([['addresses'], ['phone']]);
});

test('an upsert by a further address leaves the addresses as they are', async () => {
  const [first, second] = [fresh(), fresh()];
  const { id } = await contact({ email: first });
  await add(id, { value: second });
  const { body } = await live.post('/v1/contacts/upsert', {
    matchOn: 'email',
    email: second.toUpperCase(),
    notes: 'x',
  });
  expect(body).toMatchObject({ id, email: first, notes: 'x' });
  expect(await valuesOf(id)).toEqual([first, second]);
});

describe('a national number', () => {
  test('is the international one when the workspace has its country', async () => {
    const { id } = await contact({ phone: '0170 9876543' });
    const normalized = async () => (await addressesOf(id))[0]?.['normalized'];
    expect(await normalized()).toBe('01709876543');
    expect(await idsBy({ phone: '+49 170 9876543' })).toEqual([]);
    await setCountry('DE');
    expect(await normalized()).toBe('+491709876543');
    for (const phone of ['+49 170 9876543', '0170/9876543', '0049 (0)170 9876543'])
      expect(await idsBy({ phone }), phone).toEqual([id]);
    expect(await idsBy({ phone: '+43 170 9876543' })).toEqual([]);
    const upserted = await live.post('/v1/contacts/upsert', { matchOn: 'phone', phone: '+49 1709876543', name: 'Bo' });
    expect([upserted.status, upserted.body.id]).toEqual([200, id]);
    const { body } = await live.post(`/v1/contacts/${id}/addresses`, { kind: 'phone', value: '0170-9876543' }, 409);
    expect(body.details).toMatchObject(because('address_exists'));
    const twin = await contact({ phone: '0170 987 6543' });
    expect((await live.get(`/v1/contacts/${twin.id}/duplicates`)).body.items).toMatchObject([{ id }]);
    await setCountry(null);
  });

  test('is read by a country that the duplicates of many numbers look up once', async () => {
    await setCountry('DE');
    const { id } = await contact({ phone: '0170 5551230' });
    await add(id, { kind: 'phone', value: '0170 5551231' });
    const twin = await contact({ phone: '+49 170 5551231' });
    await contact({ phone: '+43 170 5551231' });
    let looks = 0;
    const { body } = await between(
      ({ input }, next) => {
        if (JSON.stringify(input['Key'])?.includes('#workspace')) looks += 1;
        return next();
      },
      () => live.get(`/v1/contacts/${id}/duplicates`),
    );
    expect(body.items.map((one: { id: number }) => one.id)).toEqual([twin.id]);
    expect(looks).toBe(1);
    await setCountry(null);
  });

  test.each([
    ['US', '(415) 555-2671', '+14155552671'],
    ['IT', '06 6982 1234', '+390669821234'],
    ['RU', '8 (912) 345-67-89', '+79123456789'],
    ['GB', '020 7946 0018', '+442079460018'],
    ['DE', '110', '110'],
    ['AQ', '01234 5', '012345'],
  ])('a phone of %s, %s, is normalized as %s', async (country, value, normalized) => {
    await setCountry(country);
    const { id } = await contact();
    if (value.length > 4) {
      expect(await add(id, { kind: 'phone', value, force: true })).toMatchObject({ value, normalized });
    } else await add(id, { kind: 'phone', value }, 400);
    await setCountry(null);
  });
});

test.each([
  ['a value that is no e-mail address', { kind: 'email', value: 'Ada <ada@example.com>' }, 'value', 'invalid_format'],
  ['a value that is no phone number', { kind: 'phone', value: 'ada@example.com' }, 'value', 'invalid_format'],
  ['no value', { kind: 'email' }, 'value', 'required'],
  ['an unknown kind', { kind: 'fax', value: '1234567' }, 'kind', 'invalid_enum'],
  ['a long label', { kind: 'email', value: 'a@example.com', label: 'x'.repeat(41) }, 'label', 'too_long'],
])('an address with %s is refused', async (_, body, field, code) => {
  const { id } = await contact();
  const refused = await live.post(`/v1/contacts/${id}/addresses`, body, 400);
  expect(refused.body.details.fields).toMatchObject([{ field, code }]);
});

test('an address of the contact or of another one is refused, unless it is forced', async () => {
  const email = fresh();
  const owner = await contact({ email });
  const { id } = await contact();
  expect((await add(owner.id, { value: email.toUpperCase() }, 409)).details).toMatchObject(because('address_exists'));
  expect((await add(id, { value: email }, 409)).details).toMatchObject({
    ...because('address_taken'),
    contactId: owner.id,
  });
  await add(id, { value: email, force: true });
  expect(await idsBy({ email })).toEqual([id, owner.id]);
});

test('a phone number with a trunk zero is the same one, also in a workspace without a country', async () => {
  const { id } = await contact({ phone: '+49 170 2345678' });
  const other = await contact();
  const again = { kind: 'phone', value: '+49 0170 2345678' };
  expect((await add(id, again, 409)).details).toMatchObject(because('address_exists'));
  expect((await add(other.id, again, 409)).details).toMatchObject({ ...because('address_taken'), contactId: id });
  expect(await idsBy({ phone: again.value })).toEqual([id]);
});

test('a further phone number is found, and one may be added as the primary one', async () => {
  const { id } = await contact({ phone: '+49 170 3456789' });
  await add(id, { kind: 'phone', value: '+49 170 4567891' });
  expect(await idsBy({ phone: '0049 170 4567891' })).toEqual([id]);
  const primary = { kind: 'phone', value: '+49 170 5678912', isPrimary: true };
  expect(await add(id, primary)).toMatchObject({ isPrimary: true });
  expect(await get(id)).toMatchObject({ phone: primary.value });
  expect(await valuesOf(id)).toEqual(['+49 170 5678912', '+49 170 3456789', '+49 170 4567891']);
});

test('a contact has at most twenty addresses, also after a PATCH and a merge', async () => {
  const { id } = await contact({ email: fresh() });
  for (let count = 1; count < 20; count += 1) await add(id, { value: fresh(), force: true });
  expect((await add(id, { value: fresh() }, 409)).details).toMatchObject({ ...because('limit_reached'), limit: 20 });
  await live.patch(`/v1/contacts/${id}`, { phone: '+1 415 555 2600' }, 409);
  const source = await contact({ email: fresh() });
  await live.post(`/v1/contacts/${id}/merge`, { sourceContactId: source.id }, 409);
  await get(source.id);
  const { items } = { items: await addressesOf(id) };
  expect(items).toHaveLength(20);
});

test('two contacts that get one address at the same time do not both have it', async () => {
  const value = fresh();
  const people = await Promise.all([contact(), contact(), contact()]);
  const answers = await Promise.all(
    people.map(({ id }) => live.post(`/v1/contacts/${id}/addresses`, { kind: 'email', value })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  expect(await idsBy({ email: value })).toHaveLength(1);
});

test('a label and the primary address change, and nothing is told when nothing changes', async () => {
  const [first, second] = [fresh(), fresh()];
  const { id } = await contact({ email: first });
  const { id: addressId } = await add(id, { value: second });
  const patch = async (of: number, body: object, status = 200) =>
    (await live.patch(`/v1/contacts/${id}/addresses/${of}`, body, status)).body;
  expect(await patch(addressId, { label: 'work' })).toMatchObject({ label: 'work', isPrimary: false });
  expect(await patch(addressId, { label: 'work' })).toMatchObject({ label: 'work' });
  expect(await patch(addressId, { isPrimary: true })).toMatchObject({ isPrimary: true });
  expect(await get(id)).toMatchObject({ email: second });
  expect(await valuesOf(id)).toEqual([second, first]);
  await patch(addressId, { isPrimary: false }, 400);
  await patch(99, { label: 'x' }, 404);
  expect(await changedOf(id, 4)).toEqual([['addresses'], ['addresses'], ['email']]);
});

test('If-Match is not looked at on addresses', async () => {
  const { id } = await contact({ email: fresh() });
  const stale = { 'if-match': '"stale"' };
  const path = `/v1/contacts/${id}/addresses`;
  const { body } = await live.post(path, { kind: 'email', value: fresh() }, 201, stale);
  await live.patch(`${path}/${body.id}`, { label: 'work' }, 200, stale);
  await live.delete(`${path}/${body.id}`, 200, stale);
});

test('a PATCH replaces the value of the primary address', async () => {
  const [first, second, third] = [fresh(), fresh(), fresh()];
  const { id } = await contact({ email: first });
  await add(id, { value: second, label: 'home' });
  await live.patch(`/v1/contacts/${id}`, { email: third }, 200);
  expect(await addressesOf(id)).toMatchObject([
    { id: 1, value: third, isPrimary: true },
    { id: 3, value: second, isPrimary: false },
  ]);
  expect(await idsBy({ email: first })).toEqual([]);
  // One that a further address has becomes primary, and the former one goes.
  await live.patch(`/v1/contacts/${id}`, { email: second.toUpperCase() }, 200);
  expect(await addressesOf(id)).toMatchObject([{ id: 3, value: second.toUpperCase(), isPrimary: true, label: 'home' }]);
  await add(id, { value: first });
  expect((await live.patch(`/v1/contacts/${id}`, { email: null }, 200)).body.email).toBe(first);
  expect((await live.patch(`/v1/contacts/${id}`, { email: null }, 200)).body.email).toBe(null);
  await live.patch(`/v1/contacts/${id}`, { email: first }, 200);
  expect(await addressesOf(id)).toMatchObject([{ id: 5, value: first, isPrimary: true }]);
  expect((await changedOf(id, 8)).slice(-5)).toEqual([['email'], ['addresses'], ['email'], ['email'], ['email']]);
});

test('the next address takes the place of a deleted primary one', async () => {
  const [first, second, third] = [fresh(), fresh(), fresh()];
  const { id } = await contact({ email: first });
  for (const value of [second, third]) await add(id, { value });
  const remove = (of: number, status = 200) => live.delete(`/v1/contacts/${id}/addresses/${of}`, status);
  expect((await remove(1)).body).toEqual({ id: 1, deleted: true });
  expect(await get(id)).toMatchObject({ email: second });
  await remove(4);
  await remove(4, 404);
  expect(await valuesOf(id)).toEqual([second]);
  await remove(3);
  expect(await get(id)).toMatchObject({ email: null });
  expect(await changedOf(id, 6)).toEqual([['addresses'], ['addresses'], ['email'], ['addresses'], ['email']]);
});

test('the last phone number of a contact without name and username stays', async () => {
  const { id } = await contact({ name: null, phone: '+1 415 555 2601' });
  await add(id, { kind: 'phone', value: '+1 415 555 2602' });
  await live.delete(`/v1/contacts/${id}/addresses/2`, 200);
  await live.delete(`/v1/contacts/${id}/addresses/3`, 400);
  expect(await get(id)).toMatchObject({ phone: '+1 415 555 2602' });
});

test('a merge keeps the addresses of both, each once', async () => {
  const [own, shared, theirs] = [fresh(), fresh(), fresh()];
  const target = await contact({ email: own });
  await add(target.id, { value: shared });
  const source = await contact({ email: theirs, phone: '+1 415 555 2603' });
  await add(source.id, { value: shared.toUpperCase(), force: true });
  await live.post(`/v1/contacts/${target.id}/merge`, { sourceContactId: source.id }, 200);
  expect(await addressesOf(target.id)).toMatchObject([
    { id: 1, value: own, isPrimary: true },
    { id: 5, kind: 'phone', value: '+1 415 555 2603', isPrimary: true },
    { id: 3, value: shared, isPrimary: false },
    { id: 4, value: theirs, isPrimary: false },
  ]);
  expect(await idsBy({ email: theirs })).toEqual([target.id]);
  const { body: activities } = await live.get(`/v1/contacts/${target.id}/activities`, { type: 'Note' });
  expect(activities.items).toEqual([]);
});

test('an address that is added during a merge is kept, or refused', async () => {
  const [target, source] = [await contact(), await contact()];
  const values = [fresh(), fresh()];
  const [merged, ...added] = await Promise.all([
    live.post(`/v1/contacts/${target.id}/merge`, { sourceContactId: source.id }),
    live.post(`/v1/contacts/${target.id}/addresses`, { kind: 'email', value: values[0] }),
    live.post(`/v1/contacts/${source.id}/addresses`, { kind: 'email', value: values[1] }),
  ]);
  expect(merged?.status).toBe(200);
  const kept = added.flatMap(({ status }, index) => (status === 201 ? [values[index]] : []));
  expect(added.map(({ status }) => status).filter((status) => status !== 201 && status !== 404)).toEqual([]);
  expect((await valuesOf(target.id)).toSorted()).toEqual(kept.toSorted());
});

test('an address tells when a mail to it bounced', async () => {
  const email = fresh();
  const { id } = await contact({ email });
  await run((tx) => suppress(tx, email, 'complaint'));
  expect(await addressesOf(id)).toMatchObject([{ bouncedAt: null }]);
  await run((tx) => suppress(tx, email.toUpperCase(), 'bounce'));
  expect(await addressesOf(id)).toMatchObject([{ bouncedAt: expect.stringMatching(/Z$/) }]);
});

test('a further address links its contact to the company of its domain, whichever comes first', async () => {
  const domain = `addresses-${workspace.id}.com`;
  const { body: company } = await live.post('/v1/companies', { name: 'Engines', domains: [domain] }, 201);
  const { id } = await contact({ email: fresh() });
  await add(id, { value: `ada@${domain}` });
  expect(await get(id)).toMatchObject({ company: company.name });
  expect(await changedOf(id, 2)).toEqual([['addresses', 'companies']]);
  const other = await contact({ email: fresh() });
  await add(other.id, { value: `bo@later-${domain}` });
  await live.post('/v1/companies', { name: 'Later', domains: [`later-${domain}`] }, 201);
  await eventually(async () => (await get(other.id)).company === 'Later', 'the link');
});

test('export and erasure know every address of a person', async () => {
  const [first, second] = [fresh(), fresh()];
  const receive = receiveIn(workspace);
  const to = `workspace-${workspace.id}@mail.example`;
  const threads = [
    await receive({ from: first, to, subject: 'One', messageId: `one-${first}` }),
    await receive({ from: second, to, subject: 'Two', messageId: `two-${second}` }),
  ].map(({ threadId }) => threadId);
  const { id } = await contact({ email: first });
  await add(id, { value: second, label: 'home' });
  const { body } = await live.get(`/v1/contacts/${id}/export`, undefined, 200);
  expect(body.addresses).toMatchObject([{ value: first }, { value: second, label: 'home' }]);
  expect(body.emailThreads.map((one: { id: number }) => one.id).toSorted()).toEqual(threads.toSorted());
  expect(body.emailMessages).toHaveLength(2);
  const { body: erasure } = await live.post(`/v1/contacts/${id}/erasure`, { confirm: String(id) });
  const isDone = async () => (await live.get(`/v1/erasures/${erasure.id}`)).body.status === 'completed';
  await eventually(isDone, 'the erasure', 60_000);
  for (const thread of threads) expect((await live.get(`/v1/email/threads/${thread}`)).status).toBe(404);
});

test('the thread of a stranger adds its address to a contact that has another one', async () => {
  const [own, outside] = [fresh(), fresh()];
  const { id } = await contact({ email: own });
  const { threadId } = await receiveIn(workspace)({ from: outside, subject: 'Who am I' });
  await live.post(`/v1/email/threads/${threadId}/contact`, { contactId: id }, 200);
  expect(await get(id)).toMatchObject({ email: own });
  expect(await valuesOf(id)).toEqual([own, outside]);
});
