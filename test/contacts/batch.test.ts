import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { dynamodb } from '#lib/table/client.ts';
import { pages } from '#lib/table/pages.ts';
import { type Answer, everyItem } from '#test/client.ts';
import { eventsAbout } from '#test/feed.ts';
import { settle } from '#test/harness.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

interface Result {
  index: number;
  status: number;
  contact: { id: number; name: string } | null;
  error: { error: string; details: { fields?: { field: string; code: string }[] } | null } | null;
}

const batch = (items: unknown[], { atomic = false, key }: { atomic?: boolean; key?: string } = {}) =>
  workspace.live.post('/v1/contacts/batch', { items, atomic }, key === undefined ? {} : { 'idempotency-key': key });
const creations = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => ({ op: 'create', name: `${name} ${index}` }));
const named = (q: string, { live } = workspace) => everyItem(live, '/v1/contacts', { q, limit: 100 });

test('each item has the outcome that the single call would have had', async () => {
  const { id } = (await workspace.live.post('/v1/contacts', { name: 'Ada' })).body;
  const tag = (await workspace.live.post('/v1/tags', { name: 'vip' })).body;
  const { status, body } = await batch([
    { op: 'create', name: 'Grace', username: 'grace' },
    { op: 'update', id, stage: 'Customer', assignedToUserId: workspace.memberId, leadScore: 70, company: 'A' },
    { op: 'upsert', matchOn: 'username', username: 'GRACE', notes: 'same person' },
    { op: 'addTag', id, tagId: tag.id },
    { op: 'ADDTAG', id, tagName: 'new one' },
    { op: 'removeTag', id, tagId: tag.id },
    { op: 'create' },
    { op: 'update', id: 999_999, name: 'x' },
    { op: 'update', id, phone: '12', platform: 'twitter' },
    { op: 'explode' },
    'nonsense',
    { op: 'update', id, assignedToUserId: 999_999 },
  ]);
  expect(status).toBe(200);
  expect([body.succeeded, body.failed]).toEqual([6, 6]);
  expect(body.results.map((result: { index: number; status: number }) => [result.index, result.status])).toEqual(
    [201, 200, 200, 200, 200, 200, 400, 404, 400, 400, 400, 400].map((one, index) => [index, one]),
  );
  const [created, updated, upserted, , tagged, untagged, ...refused] = body.results;
  expect(created).toEqual({ index: 0, status: 201, contact: created.contact, error: null });
  expect(upserted.contact).toEqual({ ...created.contact, username: 'GRACE', notes: 'same person' });
  expect(updated.contact).toMatchObject({ stage: 'customer', assignedToUserId: workspace.memberId, leadScore: 70 });
  expect(tagged.contact.tags.map(({ name }: { name: string }) => name)).toEqual(['new one', 'vip']);
  expect((await workspace.live.get(`/v1/contacts/${id}`)).body).toEqual(untagged.contact);
  expect(
    refused.map(({ contact, error }: Result) => [contact, error?.error, error?.details?.fields?.map(fieldAndCode)]),
  ).toEqual([
    [null, 'bad_request', [['items[6].name', 'required']]],
    [null, 'not_found', undefined],
    [
      null,
      'bad_request',
      [
        ['items[8].platform', 'not_allowed'],
        ['items[8].phone', 'invalid_format'],
      ],
    ],
    [null, 'bad_request', [['items[9].op', 'invalid_enum']]],
    [null, 'bad_request', [['items[10].item', 'invalid_type']]],
    [null, 'bad_request', [['items[11].assignedToUserId', 'unknown_reference']]],
  ]);
  const events = await eventsAbout(workspace.id, `contact/${id}`, 5);
  expect(events.map(({ data }) => data.changed?.toSorted())).toEqual([
    undefined,
    ['assigned_to_user_id', 'company', 'lead_score', 'stage'],
    ['tags'],
    ['tags'],
    ['tags'],
  ]);
});

const fieldAndCode = ({ field, code }: { field: string; code: string }) => [field, code];

test.each([[[]], [Array.from({ length: 101 }, () => ({ op: 'create', name: 'x' }))]])(
  'a batch has 1 to 100 items',
  async (items) => {
    expect((await batch(items)).status).toBe(400);
  },
);

test('a batch is one entry of the audit trail', async () => {
  const { key, client } = await workspace.mint();
  await client.post('/v1/contacts/batch', { items: creations(5, 'audited') });
  const keyId = key.slice(9, 21);
  await settle();
  const { items } = (await workspace.live.get('/v1/audit-events', { keyId })).body;
  expect(items.map((entry: { path: string }) => entry.path)).toEqual(['/v1/contacts/batch']);
});

/** With every field that a creation takes. */
const whole = (count: number, name: string) =>
  creations(count, name).map((item, index) => ({
    ...item,
    username: `${name}_${index}`,
    phone: `+49 30 100${index}`,
    email: `${name}${index}@example.com`,
    company: 'Company',
    notes: 'notes',
  }));

test('an atomic batch of ten contacts is done as a whole, each with all that belongs to it', async () => {
  const { status, body } = await batch(whole(10, 'whole'), { atomic: true, key: 'whole' });
  expect([status, body.succeeded, body.failed]).toEqual([200, 10, 0]);
  const listed = await named('whole');
  expect(listed.map(({ id }) => id).reverse()).toEqual(body.results.map(({ contact }: Result) => contact?.id));
  for (const index of [0, 5, 9]) {
    const { id } = body.results[index].contact;
    for (const query of [{ username: `whole_${index}` }, { phone: `4930100${index}` }])
      expect((await everyItem(workspace.live, '/v1/contacts', query)).map((one) => one.id)).toEqual([id]);
    expect((await workspace.live.get(`/v1/contacts/${id}/activities`)).body.items).toHaveLength(1);
    expect(await eventsAbout(workspace.id, `contact/${id}`, 1)).toHaveLength(1);
  }
});

test('an atomic batch of more than ten items is refused and does nothing', async () => {
  const { status, body } = await batch(creations(11, 'eleven'), { atomic: true });
  expect([status, body.error, body.details.fields.map(fieldAndCode)]).toEqual([
    400,
    'bad_request',
    [['items', 'too_many']],
  ]);
  expect(await named('eleven')).toEqual([]);
});

test('an atomic batch whose changes are more than one transaction takes is refused and does nothing', async () => {
  const made = (await batch(creations(10, 'many fields'))).body.results.map(({ contact }: Result) => contact?.id);
  const changes = { stage: 'customer', assignedToUserId: workspace.memberId, leadScore: 5 };
  const items = whole(10, 'renamed').map(({ op, ...fields }, index) => ({
    ...{ op: 'update', id: made[index], ...fields, ...changes },
  }));
  const { status, body } = await batch(items, { atomic: true });
  expect([status, body.error, body.details.reason]).toEqual([400, 'bad_request', 'batch_too_large']);
  expect(await named('renamed')).toEqual([]);
  expect((await batch(items.slice(0, 3), { atomic: true })).body.succeeded).toBe(3);
});

test('an atomic batch with a bad item does nothing and answers every outcome', async () => {
  const items = [...creations(8, 'never'), { op: 'create' }, { op: 'update', id: 999_999, name: 'x' }];
  const { status, body } = await batch(items, { atomic: true });
  expect([status, body.error, body.details.reason, body.details.results.length]).toEqual([
    400,
    'bad_request',
    'batch_failed',
    10,
  ]);
  expect(
    body.details.results.slice(7).map(({ index, status, error }: Result) => [index, status, error?.error]),
  ).toEqual([
    [7, 201, undefined],
    [8, 400, 'bad_request'],
    [9, 404, 'not_found'],
  ]);
  expect(await named('never')).toEqual([]);
});

test('items of an atomic batch see what the ones before them have done', async () => {
  const { body } = await batch(
    [
      { op: 'upsert', matchOn: 'email', email: 'twice@example.com', name: 'First' },
      { op: 'upsert', matchOn: 'email', email: 'TWICE@example.com', name: 'Second' },
    ],
    { atomic: true },
  );
  expect(body.results.map(({ status, contact }: Result) => [status, contact?.name])).toEqual([
    [201, 'First'],
    [200, 'Second'],
  ]);
  const { id } = body.results[0].contact;
  const tagged = await batch(
    [
      { op: 'addTag', id, tagName: 'Fresh' },
      { op: 'addTag', id, tagName: 'fresh' },
      { op: 'update', id, email: 'moved@example.com' },
      { op: 'upsert', matchOn: 'email', email: 'twice@example.com', name: 'Another' },
    ],
    { atomic: true },
  );
  expect(tagged.body.results.map(({ status }: Result) => status)).toEqual([200, 200, 200, 201]);
  expect((await workspace.live.get(`/v1/contacts/${id}/tags`)).body).toHaveLength(1);
});

test('two atomic batches over the same contacts in opposite order leave the work of one of them', async () => {
  const made = (await batch(creations(10, 'contended'), { atomic: true })).body.results.map(
    ({ contact }: Result) => contact?.id,
  );
  // Who meets the others for too long is told to come again.
  const untilDone = async (send: () => Promise<Answer>) => {
    const answer = await send();
    return answer.status === 503 ? send() : answer;
  };
  const renamed = (name: string, ids: number[]) =>
    untilDone(() =>
      batch(
        ids.map((id) => ({ op: 'update', id, company: name, notes: name })),
        { atomic: true },
      ),
    );
  const answers = await Promise.all([
    renamed('left', made),
    renamed('right', made.toReversed()),
    ...made.map((id: number) =>
      untilDone(() => workspace.live.patch(`/v1/contacts/${id}`, { email: 'kept@example.com' })),
    ),
  ]);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const contacts = await named('contended');
  expect(new Set(contacts.map(({ company, notes }) => `${company} ${notes}`)).size).toBe(1);
  expect(contacts.filter(({ email }) => email === 'kept@example.com')).toHaveLength(10);
});

test.each([false, true])('a batch sent again under its key is replayed (atomic: %s)', async (atomic) => {
  const items = creations(10, `replayed ${atomic}`);
  const first = await batch(items, { atomic, key: `replay-${atomic}` });
  const second = await batch(items, { atomic, key: `replay-${atomic}` });
  expect([second.status, second.body, second.headers['idempotency-replayed']]).toEqual([200, first.body, 'true']);
  expect(await named(`replayed ${atomic}`)).toHaveLength(10);
});

/** As a call that died leaves it: claimed, without an answer, its lock run out. */
async function forgetAnswer(key: string) {
  const digest = createHash('sha256').update(`POST /v1/contacts/batch ${key}`).digest('base64url');
  const pk = `${workspace.id}:live#idempotency/${digest}`;
  for await (const page of pages({ pk, ascending: true })) {
    for (const { sk, keyId, fingerprint, expiresAtSeconds } of page) {
      const Item = { pk, sk, keyId, fingerprint, expiresAtSeconds, owner: 'dead', lockedUntil: 0 };
      await dynamodb.send('PutItem', { TableName: process.env['TABLE_NAME'] as string, Item });
    }
  }
}

test('a batch whose call died after its items is completed by a retry and repeats none of them', async () => {
  const items = [...creations(12, 'survivor'), { op: 'create' }, { op: 'update', id: 999_999 }];
  const first = await batch(items, { key: 'dead' });
  await forgetAnswer('dead');
  // A client may write the same members in another order.
  const again = items.map((item) => Object.fromEntries(Object.entries(item).reverse()));
  const second = await batch(again, { key: 'dead' });
  expect([second.status, second.headers['idempotency-replayed']]).toEqual([200, undefined]);
  expect(second.body).toEqual(first.body);
  expect(await named('survivor')).toHaveLength(12);
});

test('a batch whose call died does nothing anew to what its later items have changed', async () => {
  const { id } = (await workspace.live.post('/v1/contacts', { name: 'Renamed', company: 'First' })).body;
  const items = ['First', 'Second'].map((company) => ({ op: 'update', id, company }));
  const first = await batch(items, { key: 'in order' });
  await forgetAnswer('in order');
  expect((await batch(items, { key: 'in order' })).body).toEqual(first.body);
  expect((await workspace.live.get(`/v1/contacts/${id}`)).body.company).toBe('Second');
});

test('a batch whose answer would be more than 5 MB is done and kept, with ids for contacts', async () => {
  const notes = '\u{1f600}'.repeat(10_000);
  const { live } = await newWorkspace();
  const { id } = (await live.post('/v1/contacts', { name: 'Large', notes })).body;
  const tags = Array.from({ length: 100 }, (_, tag) => ({
    op: 'addTag',
    id,
    tagName: '\u{1f600}'.repeat(47) + String(tag).padStart(3, '0'),
  }));
  expect((await live.post('/v1/contacts/batch', { items: tags })).body.succeeded).toBe(100);
  const items = Array.from({ length: 90 }, (_, leadScore) => ({ op: 'update', id, leadScore: leadScore + 1 }));
  const send = () => live.post('/v1/contacts/batch', { items }, { 'idempotency-key': 'large' });
  const { status, body } = await send();
  expect([status, body.succeeded, body.failed]).toEqual([200, 90, 0]);
  expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(5_000_000);
  expect(body.results[0].contact).toMatchObject({ id, notes, leadScore: 1 });
  expect(body.results[89]).toEqual({ index: 89, status: 200, contact: null, error: null, id });
  const replayed = await send();
  expect([replayed.headers['idempotency-replayed'], replayed.body]).toEqual(['true', body]);
  expect((await live.get(`/v1/contacts/${id}`)).body).toMatchObject({ notes, leadScore: 90 });
});
