import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { shifted } from '#lib/core/clock.ts';
import { system, type Tenant } from '#lib/core/tenant.ts';
import { Contacts, contactChanges } from '#lib/entities/contact.ts';
import { PatchDeal } from '#lib/entities/deal.ts';
import type { FeedEvent } from '#lib/entities/feed-event.ts';
import { PatchTask } from '#lib/entities/task.ts';
import { FanOuts } from '#lib/entities/webhook-fan-out.ts';
import { changedFieldNames, eventFieldName } from '#lib/events/changes.ts';
import { fanOut } from '#lib/publishing/fan-out.ts';
import { keyOf } from '#lib/table/entity.ts';
import { transact } from '#lib/table/transact.ts';
import { between } from '#test/between.ts';
import { type Client, eventually, everyItem } from '#test/client.ts';
import { hears, newAccount } from '#test/telegram/line.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

let workspace: TestWorkspace;
let api: Client;
let tenant: Tenant;
let next = 0;

beforeAll(async () => {
  workspace = await newWorkspace();
  api = workspace.live;
  tenant = { workspaceId: workspace.id, env: 'live' };
});

/** A workspace has at most twenty. */
afterEach(async () => {
  for (const { id } of await everyItem(api, '/v1/webhooks')) await api.delete(`/v1/webhooks/${id}`);
});

async function register(filter: unknown, { client = api, eventKinds = ['*'] } = {}) {
  next += 1;
  // Nobody listens at port 9: what counts is which deliveries there are.
  const url = `http://127.0.0.1:9/${next}`;
  return client.post('/v1/webhooks', { url, eventKinds, filter });
}

async function endpoint(filter: unknown, options: Parameters<typeof register>[1] = {}): Promise<number> {
  const { status, body } = await register(filter, options);
  expect(status).toBe(201);
  return body.id;
}

const addContact = async (body: object = {}, client = api): Promise<number> =>
  (await client.post('/v1/contacts', { name: 'Ada', ...body })).body.id;
const addTag = async (name: string): Promise<number> => (await api.post('/v1/tags', { name })).body.id;
const tag = (contactId: number, tagId: number) => api.post(`/v1/contacts/${contactId}/tags`, { tagId });

/** The kinds of what an endpoint is sent, in order, up to an event that no filter of these tests keeps back. */
async function kindsSent(id: number, client = api): Promise<string[]> {
  const { body: key } = await client.post('/v1/keys', { name: 'mark', scopes: ['deals:read'] });
  const isMark = (event: { data: { key_id?: string } }) => event.data.key_id === key.keyId;
  const mark = await eventually(async () => {
    const { items } = (await client.get('/v1/events', { eventKind: 'key.created', limit: 100 })).body;
    return items.find(isMark);
  }, 'the mark in the feed');
  const deliveries = await eventually(async () => {
    const all = await everyItem(client, `/v1/webhooks/${id}/deliveries`);
    return all.some(({ eventId }) => eventId === mark.id) && all;
  }, 'the delivery of the mark');
  return deliveries
    .toReversed()
    .map(({ eventKind }) => eventKind)
    .filter((kind) => kind !== 'key.created');
}

describe('a filter', () => {
  test('is kept as it is given, each value once, and fields as events name them', async () => {
    const tagId = await addTag('Kept');
    const given = {
      changedFields: ['stage', 'leadScore', 'lead_score', ' AssignedToUserId '],
      channels: ['Telegram', 'telegram', 'email'],
      contactTagIds: [tagId, tagId],
    };
    const filter = {
      changedFields: ['stage', 'lead_score', 'assigned_to_user_id'],
      channels: ['telegram', 'email'],
      contactTagIds: [tagId],
    };
    const { status, body } = await register(given);
    expect({ status, filter: body.filter }).toEqual({ status: 201, filter });
    const got = await api.get(`/v1/webhooks/${body.id}`);
    expect(got.body.filter).toEqual(filter);
    const listed = (await everyItem(api, '/v1/webhooks')).find(({ id }) => id === body.id);
    expect(listed.filter).toEqual(filter);
    const same = await api.patch(`/v1/webhooks/${body.id}`, { filter: given });
    expect([same.body.updatedAt, same.headers['etag']]).toEqual([null, got.headers['etag']]);
  });

  test('without a condition is none', async () => {
    for (const filter of [undefined, null, {}, { channels: null }])
      expect((await register(filter)).body).toMatchObject({ filter: null });
  });

  test('is changed condition by condition, and goes with the last of them', async () => {
    const id = await endpoint({ channels: ['email'] });
    const patched = async (filter: unknown) => (await api.patch(`/v1/webhooks/${id}`, { filter })).body.filter;
    expect(await patched({ changedFields: ['stage'] })).toEqual({ changedFields: ['stage'], channels: ['email'] });
    expect(await patched({})).toEqual({ changedFields: ['stage'], channels: ['email'] });
    expect((await api.patch(`/v1/webhooks/${id}`, { description: 'x' })).body.filter.channels).toEqual(['email']);
    expect(await patched({ channels: null, changedFields: ['tags'] })).toEqual({ changedFields: ['tags'] });
    expect(await patched({ changedFields: null })).toBeNull();
    await patched({ channels: ['email'] });
    expect(await patched(null)).toBeNull();
  });

  const names = (count: number) => Array.from({ length: count }, (_, index) => `field_${index}`);

  test.each([
    [{ changedFields: names(51) }, 'filter.changedFields', 'too_many'],
    [{ changedFields: [] }, 'filter.changedFields', 'too_short'],
    [{ changedFields: [''] }, 'filter.changedFields[0]', 'required'],
    [{ changedFields: ['compny'] }, 'filter.changedFields[0]', 'invalid_enum'],
    [{ changedFields: [7] }, 'filter.changedFields[0]', 'invalid_type'],
    [{ changedFields: ['metadata.plan'] }, 'filter.changedFields[0]', 'invalid_format'],
    [{ changedFields: ['x'.repeat(65)] }, 'filter.changedFields[0]', 'too_long'],
    [{ changedFields: ['stage', 'fields.nothing'] }, 'filter.changedFields[1]', 'unknown_reference'],
    [{ changedFields: ['fields.'] }, 'filter.changedFields[0]', 'invalid_format'],
    [{ changedFields: 'stage' }, 'filter.changedFields', 'invalid_type'],
    [{ channels: ['email', 'pigeon'] }, 'filter.channels[1]', 'invalid_enum'],
    [{ channels: [] }, 'filter.channels', 'too_short'],
    [{ contactTagIds: Array(21).fill(1) }, 'filter.contactTagIds', 'too_many'],
    [{ contactTagIds: [] }, 'filter.contactTagIds', 'too_short'],
    [{ contactTagIds: ['1'] }, 'filter.contactTagIds[0]', 'invalid_type'],
    [{ contactTagIds: [999_999] }, 'filter.contactTagIds[0]', 'unknown_reference'],
    [{ contactTagIds: [-1] }, 'filter.contactTagIds[0]', 'unknown_reference'],
    [[], 'filter', 'invalid_type'],
    ['email', 'filter', 'invalid_type'],
  ])('is refused: %j', async (filter, field, code) => {
    const id = await endpoint(null);
    for (const answer of [await register(filter), await api.patch(`/v1/webhooks/${id}`, { filter })])
      expect({ status: answer.status, fields: answer.body.details.fields }).toEqual({
        status: 400,
        fields: [{ field, code, message: expect.any(String) }],
      });
    expect((await api.get(`/v1/webhooks/${id}`)).body.filter).toBeNull();
  });

  test('takes its bounds', async () => {
    const changedFields = changedFieldNames.slice(0, 25);
    const tagIds = await Promise.all(Array.from({ length: 20 }, (_, index) => addTag(`Bound ${index}`)));
    const { status, body } = await register({
      changedFields: [...changedFields, ...changedFields],
      contactTagIds: tagIds,
    });
    expect({ status, filter: body.filter }).toEqual({ status: 201, filter: { changedFields, contactTagIds: tagIds } });
  });

  test('is refused with a tag of another environment, as with an unknown one', async () => {
    const { live, test: sandbox } = await newWorkspace();
    const { id: tagId } = (await sandbox.post('/v1/tags', { name: 'Sandbox' })).body;
    const answer = await register({ contactTagIds: [tagId] }, { client: live });
    expect([answer.status, answer.body.details.fields[0].code]).toEqual([400, 'unknown_reference']);
  });

  test('names what it does not know in X-Ignored-Parameters', async () => {
    const { headers, body } = await register({ channels: ['email'], contactTags: [1] });
    expect([headers['x-ignored-parameters'], body.filter]).toEqual(['filter.contactTags', { channels: ['email'] }]);
  });
});

describe('an endpoint with a filter', () => {
  test('gets events that changed one of its fields, and those that change none', async () => {
    const id = await endpoint({ changedFields: ['stage', 'lead_score'] });
    const contactId = await addContact();
    await api.patch(`/v1/contacts/${contactId}`, { company: 'Engines' });
    await api.post(`/v1/contacts/${contactId}/lead-score`, { score: 7 });
    await api.post(`/v1/contacts/${contactId}/activities`, { text: 'note' });
    await api.post(`/v1/contacts/${contactId}/stage`, { stage: 'qualified' });
    const { body: deal } = await api.post('/v1/deals', { title: 'Seats' });
    await api.patch(`/v1/deals/${deal.id}`, { title: 'More seats' });
    await api.post(`/v1/deals/${deal.id}/stage`, { stage: 'proposal' });
    expect(await kindsSent(id)).toEqual([
      'contact.created',
      'contact.updated',
      'contact.note_added',
      'contact.updated',
      'deal.created',
      'deal.column_changed',
      'deal.stage_changed',
    ]);
    const { items } = (await api.get('/v1/events', { limit: 100 })).body;
    const kinds = items.map(({ event }: { event: string }) => event);
    expect(kinds.filter((kind: string) => kind === 'contact.updated')).toHaveLength(3);
    expect(kinds).toContain('deal.updated');
  });

  test('gets events of its channels, and those of no channel', async () => {
    const mail = await endpoint({ channels: ['email'] });
    const telegram = await endpoint({ channels: ['telegram'] });
    const account = await newAccount(tenant);
    await hears(tenant, account.id, { telegramUserId: 4711, username: 'anna' });
    expect(await kindsSent(mail)).toEqual(['contact.created']);
    expect((await kindsSent(telegram)).toSorted()).toEqual(['contact.created', 'message.created']);
  });

  test('gets events that pass all of its conditions', async () => {
    const tagId = await addTag('Both');
    const id = await endpoint({ changedFields: ['stage'], contactTagIds: [tagId] });
    const [plain, tagged] = [await addContact(), await addContact()];
    await tag(tagged, tagId);
    for (const contactId of [plain, tagged]) {
      await api.patch(`/v1/contacts/${contactId}`, { company: 'Engines' });
      await api.post(`/v1/contacts/${contactId}/stage`, { stage: 'qualified' });
    }
    // What a contact without the tag was made with may be published when it has it.
    expect((await kindsSent(id)).filter((kind) => kind !== 'contact.created')).toEqual(['contact.updated']);
  });
});

describe('by a custom field', () => {
  let fieldId: number;
  beforeAll(async () => {
    const define = async (object: string, slug: string) =>
      (await api.post('/v1/fields', { object, slug, title: slug, type: 'text' }, 201)).body.id;
    [fieldId] = [await define('contact', 'lead_source'), await define('deal', 'tier')];
  });

  test('a name is kept in lower case, as events have it', async () => {
    const { body } = await register({ changedFields: ['fields.lead_source', ' Fields.Lead_Source', 'FIELDS.TIER'] });
    expect(body.filter).toEqual({ changedFields: ['fields.lead_source', 'fields.tier'] });
  });

  test('the event of a changed value passes, and one of another change does not', async () => {
    const id = await endpoint({ changedFields: ['fields.tier', 'fields.lead_source'] });
    const contactId = await addContact();
    await api.patch(`/v1/contacts/${contactId}`, { company: 'Engines' }, 200);
    await api.patch(`/v1/contacts/${contactId}/fields`, { fields: { lead_source: 'Fair' } }, 200);
    const { body: deal } = await api.post('/v1/deals', { title: 'Engine' }, 201);
    await api.patch(`/v1/deals/${deal.id}`, { title: 'Loom' }, 200);
    await api.patch(`/v1/deals/${deal.id}`, { fields: { tier: 'Gold' } }, 200);
    const sent = (await kindsSent(id)).filter((kind) => kind.endsWith('.updated'));
    expect(sent).toEqual(['contact.updated', 'deal.updated']);
  });

  test('an archived field is refused', async () => {
    await api.post(`/v1/fields/${fieldId}/archive`, undefined, 200);
    const { status, body } = await register({ changedFields: ['fields.lead_source'] });
    expect([status, body.details.fields[0]]).toMatchObject([400, { code: 'unknown_reference' }]);
  });
});

describe('by the tags of contacts', () => {
  let tagId: number;
  let vip: number;
  let other: number;

  beforeAll(async () => {
    tagId = await addTag('VIP');
    [vip, other] = [await addContact(), await addContact()];
    await tag(vip, tagId);
  });

  const note = (contactId: number) => api.post(`/v1/contacts/${contactId}/activities`, { text: 'note' });
  const noted = { eventKinds: ['contact.note_added', 'key.created', 'task.created', 'contact.merged'] };

  test('events of those that have one are sent, and events without a contact', async () => {
    const id = await endpoint({ contactTagIds: [tagId, await addTag('Unused')] }, noted);
    await note(other);
    await note(vip);
    await api.post('/v1/tasks', { title: 'Nobody', contactId: null });
    await api.post('/v1/tasks', { title: 'Other', contactId: other });
    expect(await kindsSent(id)).toEqual(['contact.note_added', 'task.created']);
    await api.delete(`/v1/contacts/${vip}/tags/${tagId}`);
    await note(vip);
    expect(await kindsSent(id)).toEqual(['contact.note_added', 'task.created']);
    await tag(vip, tagId);
    await note(vip);
    expect(await kindsSent(id)).toEqual(['contact.note_added', 'task.created', 'contact.note_added']);
  });

  test('events that the publisher leaves to a worker are filtered as well', async () => {
    const { id: workspaceId, live } = await newWorkspace();
    const of: Tenant = { workspaceId, env: 'live' };
    const { id: ownTag } = (await live.post('/v1/tags', { name: 'VIP' })).body;
    const id = await endpoint({ contactTagIds: [ownTag] }, { ...noted, client: live });
    const [tagged, plain] = [await addContact({}, live), await addContact({}, live)];
    await live.post(`/v1/contacts/${tagged}/tags`, { tagId: ownTag });
    await transact(of, system, async (tx) => {
      tx.create(FanOuts, { id: 1, doneTo: 0, upTo: 0, at: shifted(tx.now, 1000) });
    });
    for (const contactId of [tagged, plain, tagged])
      await live.post(`/v1/contacts/${contactId}/activities`, { text: 'note' });
    expect(await kindsSent(id, live)).toEqual(['contact.note_added', 'contact.note_added']);
  });

  test('a merged contact has those of the one that it became', async () => {
    const id = await endpoint({ contactTagIds: [tagId] }, noted);
    const source = await addContact();
    const { body } = await api.post(`/v1/contacts/${vip}/merge`, { sourceContactId: source });
    expect(body.id).toBe(vip);
    expect(await kindsSent(id)).toEqual(['contact.merged']);
    await fanOut(tenant, [noteOf(source, 1), noteOf(other, 2)]);
    expect(await kindsSent(id)).toEqual(['contact.merged', 'contact.note_added']);
  });

  test('a deleted tag is in no filter, and one that named no other lets no event of a contact through', async () => {
    const [first, second] = [await addTag('First'), await addTag('Second')];
    const id = await endpoint({ contactTagIds: [first, second], channels: ['email'] }, noted);
    const contactId = await addContact();
    await tag(contactId, first);
    await tag(contactId, second);
    const left = () =>
      eventually(async () => {
        const { filter } = (await api.get(`/v1/webhooks/${id}`)).body;
        return !filter.contactTagIds.includes(first) && filter;
      }, 'the tag to leave the filter');
    await api.delete(`/v1/tags/${first}`);
    expect(await left()).toEqual({ contactTagIds: [second], channels: ['email'] });
    await note(contactId);
    expect(await kindsSent(id)).toEqual(['contact.note_added']);
    await api.delete(`/v1/tags/${second}`);
    await eventually(async () => (await left()).contactTagIds.length === 0, 'the second one, too');
    await note(contactId);
    await api.post('/v1/tasks', { title: 'Nobody' });
    expect(await kindsSent(id)).toEqual(['contact.note_added', 'task.created']);
    const renewed = await api.patch(`/v1/webhooks/${id}`, { filter: { contactTagIds: null } });
    expect(renewed.body.filter).toEqual({ channels: ['email'] });
  });

  test('a tag that is deleted while an endpoint takes it up is not in its filter', async () => {
    for (let round = 0; round < 5; round += 1) {
      const racing = await addTag(`Racing ${round}`);
      const [made] = await Promise.all([
        register({ contactTagIds: [racing] }, noted),
        api.delete(`/v1/tags/${racing}`),
      ]);
      if (made.status === 400) continue;
      expect(made.status).toBe(201);
      await eventually(
        async () => (await api.get(`/v1/webhooks/${made.body.id}`)).body.filter.contactTagIds.length === 0,
        'the tag to leave the filter',
      );
    }
  });
});

const noteOf = (contactId: number, index: number): FeedEvent => ({
  sequence: 900_000 + index,
  event: 'contact.note_added',
  id: `evt_${contactId}_${index}`,
  timestamp: '2099-01-01T00:00:00Z',
  committedAt: '2099-01-01T00:00:00.000Z',
  subject: `contact/${contactId}`,
  body: JSON.stringify({ data: { contact_id: String(contactId) } }),
});

test('contacts are read where an endpoint asks for their tags, all together, and nowhere else', async () => {
  const { id: workspaceId, live } = await newWorkspace();
  const of: Tenant = { workspaceId, env: 'live' };
  const contactIds = [await addContact({}, live), await addContact({}, live), await addContact({}, live)];
  const { id: ownTag } = (await live.post('/v1/tags', { name: 'VIP' })).body;
  const { pk } = keyOf(of, Contacts, { id: 1 });
  /** How many calls read contacts. */
  const readsOf = async (round: number) => {
    let reads = 0;
    const events = contactIds.map((contactId) => noteOf(contactId, round));
    await between(
      (call, next) => {
        if (JSON.stringify(call).includes(`"${pk}"`)) reads += 1;
        return next();
      },
      () => fanOut(of, events),
    );
    return reads;
  };
  const register = (filter: object, kind: string) => endpoint(filter, { client: live, eventKinds: [kind] });
  await register({ channels: ['email'], changedFields: ['stage'] }, '*');
  expect(await readsOf(1)).toBe(0);
  await register({ contactTagIds: [ownTag] }, 'deal.created');
  expect(await readsOf(2)).toBe(0);
  await register({ contactTagIds: [ownTag] }, 'contact.note_added');
  await register({ contactTagIds: [ownTag] }, '*');
  expect(await readsOf(3)).toBe(1);
});

test('a message that was edited is filtered by the fields of its changes', async () => {
  const { id: workspaceId, live } = await newWorkspace();
  const of: Tenant = { workspaceId, env: 'live' };
  const ids = await Promise.all(
    ['attachments', 'body'].map((field) => endpoint({ changedFields: [field] }, { client: live })),
  );
  const data = { message_id: '1', channel: 'telegram', changes: { body: { from: 'a', to: 'b' } } };
  await fanOut(of, [{ ...noteOf(1, 1), event: 'message.updated', body: JSON.stringify({ data }) }]);
  expect(await Promise.all(ids.map((id) => kindsSent(id, live)))).toEqual([[], ['message.updated']]);
});

test('a replay and a test ignore the filter', async () => {
  const id = await endpoint(null, { eventKinds: ['contact.updated', 'key.created'] });
  const contactId = await addContact();
  await api.patch(`/v1/contacts/${contactId}`, { company: 'Engines' });
  expect(await kindsSent(id)).toEqual(['contact.updated']);
  const deliveries = `/v1/webhooks/${id}/deliveries`;
  await api.patch(`/v1/webhooks/${id}`, { filter: { changedFields: ['stage'] }, isActive: false });
  const delivery = await eventually(async () => {
    const [found] = (await everyItem(api, deliveries)).filter(({ eventKind }) => eventKind === 'contact.updated');
    return ['failed', 'skipped'].includes(found.status) && found;
  }, 'the delivery to end');
  await api.patch(`/v1/webhooks/${id}`, { isActive: true });
  const replay = await api.post(`${deliveries}/${delivery.id}/replay`, {});
  expect([replay.status, replay.body.replayOfId]).toEqual([202, delivery.id]);
  await eventually(async () => (await api.get(`${deliveries}/${replay.body.id}`)).body.attemptCount > 0, 'an attempt');
  const tested = await api.post(`/v1/webhooks/${id}/test`, { eventKind: 'contact.updated' });
  expect([tested.status, tested.body.delivery.attemptCount]).toEqual([200, 1]);
});

test('every field that a call changes may be named in a filter', () => {
  const fields = [contactChanges, PatchDeal.entries, PatchTask.entries].flatMap((entries) => Object.keys(entries));
  expect(fields.map(eventFieldName).filter((name) => !changedFieldNames.includes(name))).toEqual([]);
});
