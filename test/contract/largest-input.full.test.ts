import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { Webhook } from 'standardwebhooks';
import type { GenericSchema } from 'valibot';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { messaging, type Platform, platforms } from '#lib/core/channel.ts';
import { dayMs, shifted, timestamp } from '#lib/core/clock.ts';
import { notFound } from '#lib/core/problem.ts';
import { operator, type Tenant, tenantKey } from '#lib/core/tenant.ts';
import { Accounts } from '#lib/entities/account.ts';
import { activityTypes } from '#lib/entities/activity.ts';
import { companyActivityTypes } from '#lib/entities/company.ts';
import { cleanFileName } from '#lib/files/name.ts';
import type { Route } from '#lib/http/route.ts';
import { disconnectAccount } from '#lib/messages/accounts/store.ts';
import { bury } from '#lib/table/dead-letter.ts';
import { rowKey, shardOf } from '#lib/table/keys.ts';
import { readRows, writeRows } from '#lib/table/rows.ts';
import { transact } from '#lib/table/transact.ts';
import { type Answer, type Client, eventually, everyItem } from '#test/client.ts';
import {
  brief,
  bytes,
  commands,
  type Fields,
  jsonSchema,
  type LargestCalls,
  largestBody,
  largestCalls,
  operations,
} from '#test/contract/largest-calls.ts';
import { createFields, largestFields } from '#test/contract/largest-fields.ts';
import { largestMail } from '#test/contract/largest-mail.ts';
import { addressOf, domainOf, everyLetters, type Letters, largest } from '#test/contract/largest-values.ts';
import type { Schema } from '#test/contract/wrong-values.ts';
import { mailBucket } from '#test/email/bucket.ts';
import { uploadedSheet } from '#test/imports/importing.ts';
import { mcp } from '#test/mcp/client.ts';
import { anonymous, signedIn } from '#test/panel/member.ts';
import { place as placeOf, serverKey } from '#test/place.ts';
import { because } from '#test/refusals.ts';
import { message, newBot, newPerson } from '#test/telegram/bot.ts';
import { phoneOf, rightCode, startDataCentre } from '#test/telegram/data-centre.ts';
import { newAccount } from '#test/telegram/line.ts';
import { type Received, type Receiver, startReceiver } from '#test/webhooks/receiver.ts';
import { clientOf, newWorkspace, type TestWorkspace } from '#test/workspace.ts';

const maxBodyBytes = 1_048_576;
const maxAnswerBytes = 5_000_000;
const maxEventTextBytes = 16 * 1024;

const bytesOf = (text: string) => Buffer.byteLength(text);

/** By an endpoint; of it the first 1,024 characters are kept. */
const answered = (everyLetters[0] as Letters).text(100_000);

let workspace: TestWorkspace;
let receiver: Receiver;
let calls: LargestCalls;
let send: LargestCalls['send'];
let admin: LargestCalls['admin'];
let hookId: number;
/** Of the last event before there was an endpoint. */
let sequenceBefore: number;

beforeAll(async () => {
  workspace = await newWorkspace();
  receiver = await startReceiver((_, response) => response.end(answered));
  calls = largestCalls(workspace.live);
  ({ send, admin } = calls);
  const minted = await eventually(async () => (await workspace.live.get('/v1/events')).body.items.at(-1), 'its key');
  sequenceBefore = minted.sequence;
  const { body } = await workspace.live.post('/v1/webhooks', { url: receiver.url, eventKinds: ['*'] });
  calls.secrets.push(body.secret);
  hookId = body.id;
  calls.keep('/v1/webhooks/{id}', hookId);
  calls.keep('/v1/pipelines/{id}', 1, 2);
});

afterAll(() => receiver?.[Symbol.asyncDispose]());

/** The board and column that a deal opens in: the schema knows no ids. */
const defaultPlace = { pipelineId: 1, columnId: 10_004, stage: 'negotiation' };

/** How many fields each kind of record has; contacts have as many as there may be. */
const fieldCounts = { contact: 100, company: 25, deal: 25, task: 25 };
beforeAll(async () => {
  for (const [object, count] of Object.entries(fieldCounts))
    await createFields(workspace.live, object as keyof typeof fieldCounts, count);
});

let bucket: Awaited<ReturnType<typeof mailBucket>>;
beforeAll(async () => {
  bucket = await mailBucket('mail.example.org');
});
afterAll(() => bucket.close());

/** Revenue feeds by their path. */
const feeds = { origin: '', served: new Map<string, string>() };
const feedServer = createServer((request, response) => response.end(feeds.served.get(request.url as string)));
beforeAll(async () => {
  await new Promise<void>((resolve) => feedServer.listen(0, '127.0.0.1', resolve));
  feeds.origin = `http://127.0.0.1:${(feedServer.address() as AddressInfo).port}`;
});
afterAll(() => feedServer.close());

/** What a row of a revenue feed says at most, besides its id. */
const largestRow = (letters: Letters) => ({
  ...{ type: 'expense', amount: 1e12, currency: 'UYW', occurredAt: '9999-12-31T23:59:59Z' },
  ...{ category: letters.text(64), description: letters.text(500, true) },
});

/** The longest text with which a body is no larger than a request may be. */
function fitting(body: (length: number) => unknown, longest: number): unknown {
  let [fits, tooLong] = [1, longest + 1];
  while (tooLong - fits > 1) {
    const middle = Math.floor((fits + tooLong) / 2);
    if (bytes(body(middle)) <= maxBodyBytes) fits = middle;
    else tooLong = middle;
  }
  return body(fits);
}

/** By operation. */
const schemaOf = (query: GenericSchema) => (jsonSchema(query)['properties'] ?? {}) as Record<string, Schema>;

const tomorrow = () => shifted(new Date(), dayMs);

/** How an account hears is shown as an object. */
const quiet = { inbound: undefined };

describe.each(everyLetters)('the largest input, of $name,', (letters) => {
  let contactId: number;
  let dealId: number;
  const place = () => ({ workspaceId: workspace.id, env: 'live' });
  const fields = (object: keyof typeof fieldCounts) => ({ fields: largestFields(fieldCounts[object], letters) });

  test('is taken and read back: custom fields', async () => {
    const options = Array.from({ length: 200 }, (_, index) => ({
      ...{ label: `${index}`.padStart(3, '0') + letters.text(77), color: '#ffffff' },
    }));
    const given = { slug: `s${everyLetters.indexOf(letters)}`.padEnd(40, 's'), type: 'select', isUnique: false };
    const shown = { ...given, object: 'contact', position: undefined };
    const { body: one } = await workspace.live.get('/v1/fields', { object: 'contact', limit: 1 });
    await send('POST /v1/fields/{id}/archive', letters, {}, [one.items[0].id]);
    const created = await workspace.live.post(
      '/v1/fields',
      largestBody('POST /v1/fields', letters, { ...shown, options }),
    );
    expect(created.status).toBe(201);
    const labels = (body: Answer['body']) => body.options.map(({ label }: { label: string }) => label);
    expect(labels(created.body)).toEqual(options.map(({ label }) => label));
    const next = created.body.options.map(({ id, label }: { id: number; label: string }) => ({
      id,
      label: `${label.slice(0, -1)}Y`,
    }));
    const changed = await workspace.live.patch(
      `/v1/fields/${created.body.id}`,
      largestBody('PATCH /v1/fields/{id}', letters, { position: 1, options: next }),
    );
    expect([changed.status, labels(changed.body)]).toEqual([200, next.map(({ label }: { label: string }) => label)]);
    await send('POST /v1/fields/{id}/archive', letters, {}, [created.body.id]);
    await send('POST /v1/fields/{id}/restore', letters, {}, [one.items[0].id]);
    calls.keep('/v1/fields/{id}', created.body.id);
    for (const name of ['POST /v1/fields', 'PATCH /v1/fields/{id}']) calls.driven.add(name);
  });

  test('is taken and read back: companies', async () => {
    const own = everyLetters.indexOf(letters) * 100;
    const domains = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => domainOf(own + from + index));
    const given = { assignedToUserId: workspace.memberId };
    const company = await send('POST /v1/companies', letters, {
      ...given,
      ...fields('company'),
      domains: domains(0, 20),
    });
    // Both at once exceed a transaction (test/companies/companies.test.ts).
    for (const change of [
      { ...fields('company'), domains: undefined },
      { fields: undefined, domains: domains(20, 20) },
    ])
      await send('PATCH /v1/companies/{id}', letters, { ...given, ...change }, [company.id]);
    await send('PATCH /v1/companies/{id}/fields', letters, fields('company'), [company.id]);
    await send('PUT /v1/companies/{id}/metadata', letters, {}, [company.id]);
    await send('PATCH /v1/companies/{id}/metadata', letters, {}, [company.id]);
    await send('POST /v1/companies/{id}/activities', letters, {}, [company.id]);
    const upsert = { matchOn: 'domain', domain: domainOf(own + 20), domains: domains(20, 20) };
    await send('POST /v1/companies/upsert', letters, { ...given, ...fields('company'), ...upsert });
    await workspace.live.patch(`/v1/companies/${company.id}`, { domains: domains(20, 10) }, 200);
    const other = await send('POST /v1/companies', letters, {
      ...given,
      ...fields('company'),
      domains: domains(40, 10),
    });
    const ids = [company.id, other.id];
    while (ids.length < 10) ids.push((await workspace.live.post('/v1/companies', { name: letters.text(200) })).body.id);
    const items = ids.map((companyId, index) => ({ companyId, title: letters.text(200), isPrimary: index === 0 }));
    const { body: contact } = await workspace.live.post('/v1/contacts', { name: letters.text(200) });
    const put = await workspace.live.put(`/v1/contacts/${contact.id}/companies`, { items });
    expect([put.status, put.body.items]).toMatchObject([200, items]);
    calls.driven.add('PUT /v1/contacts/{id}/companies');
    await send('POST /v1/companies/{id}/merge', letters, { sourceCompanyId: other.id }, [company.id]);
    calls.forget('/v1/companies/{id}', other.id);
    const merged = (await workspace.live.get(`/v1/companies/${company.id}`)).body;
    expect(merged.domains).toEqual([...domains(20, 10), ...domains(40, 10)]);
  });

  test('is taken and read back: contacts', async () => {
    const { memberId } = workspace;
    const all = { assignedToUserId: memberId, tags: undefined };
    const contact = await send('POST /v1/contacts', letters, { ...all, ...fields('contact') });
    contactId = contact.id;
    await send('PATCH /v1/contacts/{id}', letters, fields('contact'), [contactId]);
    await send('PATCH /v1/contacts/{id}/fields', letters, fields('contact'), [contactId]);
    const { metadata } = await send('PUT /v1/contacts/{id}/metadata', letters, {}, [contactId]);
    await send('PATCH /v1/contacts/{id}/metadata', letters, {}, [contactId]);
    expect((await workspace.live.get(`/v1/contacts/${contactId}/metadata`)).body).toEqual({ metadata });
    await send('POST /v1/contacts/{id}/activities', letters, {}, [contactId]);
    await send('POST /v1/contacts/{id}/assignee', letters, { userId: memberId }, [contactId]);
    await send('POST /v1/contacts/{id}/lead-score', letters, {}, [contactId]);
    await send('POST /v1/contacts/{id}/stage', letters, {}, [contactId]);
    const tag = await send('POST /v1/tags', letters);
    await send('PATCH /v1/tags/{id}', letters, {}, [tag.id]);
    await send('POST /v1/contacts/{id}/tags', letters, { tagId: undefined }, [contactId]);
    await send('DELETE /v1/contacts/{id}/tags/{tagId}', letters, {}, [contactId, tag.id]);
    await send('DELETE /v1/tags/{id}', letters, {}, [tag.id]);
    await send('POST /v1/contacts/{id}/tags', letters, { tagId: undefined }, [contactId]);
    await send('POST /v1/contacts/upsert', letters, { ...all, ...fields('contact'), matchOn: 'email' });
    const addresses = `/v1/contacts/${contactId}/addresses`;
    const further = { kind: 'email', value: `${'a'.repeat(60)}@example.com`, label: letters.text(40) };
    const { body: address } = await workspace.live.post(addresses, { ...further, force: true }, 201);
    expect(address).toMatchObject(further);
    const label = letters.text(40);
    expect((await workspace.live.patch(`${addresses}/${address.id}`, { label }, 200)).body).toMatchObject({ label });
    await workspace.live.delete(`${addresses}/${address.id}`, 200);
    for (const [method, of] of [
      ['POST', ''],
      ['PATCH', '/{addressId}'],
      ['DELETE', '/{addressId}'],
    ])
      calls.driven.add(`${method} /v1/contacts/{id}/addresses${of}`);
    const other = await send('POST /v1/contacts', letters, { ...all, ...fields('contact') });
    await send('POST /v1/contacts/{id}/merge', letters, { sourceContactId: other.id }, [contactId]);
    calls.forget('/v1/contacts/{id}', other.id);
  });

  test('is taken and read back: deals and invoices', async () => {
    const assignedToUserId = workspace.memberId;
    ({ id: dealId } = await send('POST /v1/deals', letters, {
      contactId,
      companyId: null,
      assignedToUserId,
      ...defaultPlace,
      ...fields('deal'),
    }));
    await send('PATCH /v1/deals/{id}', letters, { contactId, companyId: null, ...fields('deal') }, [dealId]);
    await send('PATCH /v1/deals/{id}/fields', letters, fields('deal'), [dealId]);
    await send('PUT /v1/deals/{id}/metadata', letters, {}, [dealId]);
    await send('PATCH /v1/deals/{id}/metadata', letters, {}, [dealId]);
    const moves = { stage: 'lost', lostReason: letters.text(500) };
    await send('POST /v1/deals/{id}/stage', letters, moves, [dealId]);
    await send('POST /v1/deals/{id}/stage', letters, { stage: 'negotiation', lostReason: null }, [dealId]);
    await send('POST /v1/deals/{id}/column', letters, { columnId: 10_006 }, [dealId]);
    await send('POST /v1/deals/{id}/column', letters, { columnId: 10_004, lostReason: null }, [dealId]);
    await send('POST /v1/deals/{id}/assignee', letters, { userId: assignedToUserId }, [dealId]);
    const dates = { issueDate: '9999-12-30', dueDate: '9999-12-31' };
    const invoice = await admin('invoice create', letters, { ...place(), ...dates, contactId, status: 'sent' });
    await send('POST /v1/finance/invoices/{id}/paid', letters, { paidAt: undefined }, [invoice.id]);
    calls.keep('/v1/finance/invoices/{id}', invoice.id);
    await admin('deal win', letters, { ...place(), id: dealId });
  });

  test('is taken and read back: pipelines', async () => {
    const { name, columns } = largestBody('POST /v1/pipelines', letters);
    // Won and lost are added, and make thirty.
    const active = (columns as Fields[]).slice(0, 28).map((column) => ({ ...column, stage: 'lead' }));
    const { body: board } = await workspace.live.post('/v1/pipelines', { name, columns: active }, 201);
    expect(board.name).toBe(name);
    expect(board.columns.map((column: Fields) => column['name'])).toEqual([
      ...active.map((column: Fields) => column['name']),
      'Won',
      'Lost',
    ]);
    calls.keep('/v1/pipelines/{id}', board.id);
    calls.driven.add('POST /v1/pipelines');
    await send('PATCH /v1/pipelines/{id}', letters, { isDefault: undefined }, [board.id]);
    const [{ id: first }, { id: second }] = board.columns;
    const column = `/v1/pipelines/${board.id}/columns`;
    await send('PATCH /v1/pipelines/{id}/columns/{columnId}', letters, { position: 1 }, [board.id, first]);
    const { id: moved } = (await workspace.live.post('/v1/deals', { title: letters.text(200), columnId: second })).body;
    expect((await workspace.live.delete(`${column}/${second}?moveTo=${first}`)).status).toBe(200);
    expect((await workspace.live.get(`/v1/deals/${moved}`, { include: 'pipeline' })).body.pipeline.columnId).toBe(
      first,
    );
    calls.driven.add('DELETE /v1/pipelines/{id}/columns/{columnId}');
    await send('POST /v1/pipelines/{id}/columns', letters, { stage: 'lead', position: 1 }, [board.id]);
    await send('POST /v1/pipelines/{id}/archive', letters, { moveTo: 1 }, [board.id]);
    await send('POST /v1/pipelines/{id}/restore', letters, {}, [board.id]);
  });

  test('is taken and read back: saved replies', async () => {
    const { id } = await send('POST /v1/saved-replies', letters);
    await send('PATCH /v1/saved-replies/{id}', letters, {}, [id]);
    await send('DELETE /v1/saved-replies/{id}', letters, {}, [id]);
    calls.forget('/v1/saved-replies/{id}', id);
    await send('POST /v1/saved-replies', letters);
  });

  test('is taken and read back: batches', async () => {
    for (const [noun, long, fields] of [
      ['contacts', 'notes', { assignedToUserId: workspace.memberId }],
      ['companies', 'notes', { domains: undefined, assignedToUserId: workspace.memberId }],
      ['deals', 'notes', { contactId, companyId: null, assignedToUserId: workspace.memberId, ...defaultPlace }],
      ['tasks', 'description', { contactId, dealId, assignedToUserId: workspace.memberId }],
    ] as const) {
      // As many as there may be, once: it takes its time.
      const count = letters === everyLetters[0] && noun === 'contacts' ? 100 : 3;
      const operation = `POST /v1/${noun}/batch`;
      const { items } = schemaOf(operations.get(operation)?.body as GenericSchema);
      const [create] = (items as Schema)['items'].oneOf as Schema[];
      // With the pairs and tags of each, a body would hold two.
      const item = {
        ...(largest(create as Schema, '', letters) as Fields),
        metadata: undefined,
        tags: undefined,
        ...fields,
      };
      const body = (length: number) => ({
        items: Array.from({ length: count }, () => ({ ...item, [long]: letters.text(length, true) })),
      });
      const given = fitting(body, 10_000) as ReturnType<typeof body>;
      const { results } = await send(operation, letters, { ...given, atomic: undefined });
      const refused = results.filter(({ status }: Answer) => status !== 201);
      if (refused.length > 0) throw new Error(`${operation} refuses ${refused.length}: ${brief(refused)}`);
    }
  });

  test('is taken and read back: keys and webhooks', async () => {
    const key = await send('POST /v1/keys', letters);
    await send('PATCH /v1/keys/{id}', letters, {}, [key.id]);
    await send('DELETE /v1/keys/{id}', letters, {}, [key.id]);
    const { keyId } = await admin('key create', letters, { ...place(), scopes: 'all' });
    await admin('key revoke', letters, { keyId });
    const url = `${receiver.url}/`.padEnd(2048, letters.name.replaceAll(' ', '-'));
    const eventKinds = (largestBody('POST /v1/webhooks', letters)['eventKinds'] as string[]).filter(
      (kind) => kind !== '*',
    );
    const contactTagIds = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const { body } = await workspace.live.post('/v1/tags', { name: `${letters.name} ${index}` });
        return body.id;
      }),
    );
    const filter = { ...(largestBody('POST /v1/webhooks', letters)['filter'] as Fields), contactTagIds };
    // Values of headers are never shown (test/webhooks/own.test.ts).
    const shown = { eventKinds, filter, headers: undefined, ownSecret: undefined };
    const hook = await send('POST /v1/webhooks', letters, { ...shown, url });
    const other = await send('POST /v1/webhooks', letters, { ...shown, url: `${url.slice(0, -1)}2` });
    const change = { ...shown, url, isActive: true, eventKinds: ['webhook.test'] };
    await send('PATCH /v1/webhooks/{id}', letters, change, [hook.id]);
    await send('POST /v1/webhooks/{id}/rotate', letters, {}, [hook.id]);
    await send('POST /v1/webhooks/{id}/test', letters, {}, [hook.id]);
    await send('POST /v1/webhooks/{id}/resume', letters, {}, [hook.id]);
    await send('POST /v1/webhooks/{id}/replay-failed', letters, { since: shifted(new Date(), -29 * dayMs) }, [hook.id]);
    await send('DELETE /v1/webhooks/{id}', letters, {}, [other.id]);
    calls.forget('/v1/webhooks/{id}', other.id);
  });

  test('is taken and read back: members and accounts', async () => {
    const mailbox = letters.name.replaceAll(' ', '-').padEnd(242, 'x');
    const member = await admin('member create', letters, { ...place(), email: `${mailbox}@example.com` });
    calls.keep('/v1/members/{id}', member.id);
    const bot = await admin('telegram-account create', letters, {
      ...{ ...place(), kind: 'bot', botToken: letters.text(200), session: undefined },
    });
    const user = await admin('telegram-account create', letters, place());
    await admin('telegram-account update', letters, { ...place(), id: user.id });
    await admin('telegram-account connect', letters, {
      ...place(),
      id: bot.id,
      botToken: letters.text(200),
      session: undefined,
    });
    calls.keep('/v1/telegram/accounts/{id}', bot.id, user.id);
    for (const id of [bot.id, user.id])
      expect((await workspace.live.get(`/v1/telegram/accounts/${id}`)).body.name).toBe(letters.text(200));
    // An account of a platform is connected once.
    const own = String(1000 + everyLetters.indexOf(letters));
    const token = { botToken: `${own}:`.padEnd(200, 'x') };
    const connected = await send('POST /v1/telegram/accounts', letters, { ...quiet, ...token });
    await send('PATCH /v1/telegram/accounts/{id}', letters, quiet, [connected.id]);
    await send('POST /v1/telegram/accounts/{id}/connect', letters, token, [connected.id]);
    await send('POST /v1/telegram/accounts/{id}/disconnect', letters, {}, [connected.id]);
    const twin = await send('POST /v1/twitter/accounts', letters, { accessToken: own.padEnd(500, 'y') });
    await send('POST /v1/twitter/accounts/{id}/disconnect', letters, {}, [twin.id]);
  });

  test('is taken and read back: logins', async () => {
    const { password } = largestBody('POST /v1/telegram/logins/{id}/password', letters) as { password: string };
    const centre = await startDataCentre({ id: 4, serverKey: serverKey(), password });
    const { id } = await send('POST /v1/telegram/logins', letters, { phone: phoneOf(centre.port) });
    await send('POST /v1/telegram/logins/{id}/code', letters, { code: rightCode }, [id]);
    const { accountId } = await send('POST /v1/telegram/logins/{id}/password', letters, {}, [id]);
    expect((await workspace.live.get(`/v1/telegram/accounts/${accountId}`)).body.name).toBe(letters.text(200));
    await send('POST /v1/telegram/accounts/{id}/disconnect', letters, {}, [accountId]);
    await centre.close();
    const entered = vi.spyOn(process, 'stdin', 'get').mockReturnValue(Readable.from(['00000\ntest\n']) as never);
    await admin('telegram-account login', letters, { ...place(), env: 'test', phone: '+999999999999999' });
    entered.mockRestore();
  });

  test('is taken and read back: what Telegram posts to a hook', async () => {
    const bot = newBot();
    const path = '/v1/telegram/accounts';
    const { body: account } = await workspace.live.post(path, { kind: 'bot', botToken: bot.token });
    await eventually(async () => (await bot.seen()).webhook !== undefined, 'the webhook');
    const person = newPerson({ first_name: letters.text(200), username: 'u'.repeat(64) });
    const bytes = Buffer.byteLength(JSON.stringify(letters.text(1_000, true)));
    const text = letters.text(Math.floor(800_000 / bytes) * 1_000, true);
    await bot.tell(message(person, { text }), { x: letters.text(100_000) });
    expect(await bot.post()).toEqual([200, 200]);
    const { body } = await workspace.live.get('/v1/messages', { accountId: account.id });
    const [stored] = body.items;
    expect([...stored.body].length).toBeLessThanOrEqual(10_000);
    expect(stored.body).toContain('[Left out of this message: the end of its text.]');
    const { body: contact } = await workspace.live.get(`/v1/contacts/${stored.contactId}`);
    expect(contact.name).toBe(person.first_name);
    calls.driven.add('POST /hooks/telegram/{hookId}');
  });

  test('is taken and read back: the feed of a revenue source', async () => {
    const rows = Array.from({ length: 16 }, (_, index) => ({
      id: `${String(index).padStart(2, '0')}${letters.text(198)}`,
      ...largestRow(letters),
    }));
    const path = `/${letters.name.replaceAll(' ', '-')}`.padEnd(2048 - feeds.origin.length, 'x');
    feeds.served.set(path, JSON.stringify(rows));
    const source = await admin('revenue-source create', letters, {
      ...{ ...place(), mode: 'pull', feedUrl: `${feeds.origin}${path}`, credential: 'x'.repeat(4096) },
    });
    const pulled = await eventually(async () => {
      const { items } = (await workspace.live.get('/v1/finance/revenue-sources')).body;
      const found = items.find(({ id }: Fields) => id === source.id);
      return ['ok', 'failed'].includes(found.lastSyncStatus) && found;
    }, 'the pull to end');
    expect(pulled).toMatchObject({
      lastSyncStatus: 'ok',
      lastSyncError: null,
      totalIngested: 16,
      name: letters.text(200),
    });
    const booked = await everyItem(workspace.live, '/v1/finance/transactions', { limit: 100 });
    const ours = booked.filter(({ revenueSourceId }) => revenueSourceId === source.id);
    expect(ours).toHaveLength(16);
    for (const one of ours) expect(one).toMatchObject(largestRow(letters));
    calls.keep('/v1/finance/transactions/{id}', ours[0].id);
    await admin('revenue-source connect', letters, { ...place(), id: source.id });
  });

  test('is taken and read back: agents and sequences', async () => {
    const sandbox = { workspaceId: workspace.id, env: 'test' } as const;
    const inSandbox = { accountIds: await accountsOfAgent(sandbox) };
    const agent = await admin('agent create', letters, { ...sandbox, ...inSandbox, status: 'active' });
    const inLive = { accountIds: await accountsOfAgent({ workspaceId: workspace.id, env: 'live' }) };
    const { id: liveAgentId } = await admin('agent create', letters, { ...place(), ...inLive, status: 'disabled' });
    await admin('agent update', letters, { ...place(), ...inLive, id: liveAgentId, status: 'active' });
    calls.keep('/v1/agents/{id}', liveAgentId);
    await workspace.test.get(`/v1/agents/${agent.id}`, undefined, 200);
    const { body: asking } = await workspace.test.post('/v1/contacts', { name: letters.text(200) });
    await send('POST /v1/agents/{id}/test-run', letters, { contactId: asking.id }, [agent.id], workspace.test);
    const account = await newAccount({ workspaceId: workspace.id, env: 'live' });
    // Thirty of 4,000 characters, but no more than a row can keep together (lib/entities/sequence.ts).
    const length = Math.min(4_000, Math.floor(8_300 / Math.max(...[...letters.text(100, true)].map(bytesOf))));
    const steps = Array.from({ length: 30 }, () => ({ delayMinutes: 525_600, text: letters.text(length, true) }));
    const sequence = await admin('sequence create', letters, {
      ...{ ...place(), channel: 'telegram', accountId: account.id, status: 'active' },
      steps: steps.map((step, index) => (index === 0 ? { ...step, delayMinutes: 0 } : step)),
    });
    const shown = (await workspace.live.get(`/v1/sequences/${sequence.id}`)).body;
    expect(brief(shown.steps.map(({ text }: Fields) => text))).toBe(brief(steps.map(({ text }) => text)));
    calls.keep('/v1/sequences/{id}', sequence.id);
    const from = { telegramUserId: 9_000_000_000_000_000 + everyLetters.indexOf(letters) };
    const stranger = await admin('message receive', letters, {
      ...{ ...place(), channel: 'telegram', accountId: account.id, threadId: letters.text(200), sentAt: undefined },
      from: { ...from, username: `stranger_${everyLetters.indexOf(letters)}`, name: letters.text(200) },
    });
    await admin('sequence enroll', letters, { ...place(), id: sequence.id, contactId: stranger.contactId });
    const sent = await eventually(async () => (await account.arrived()).stored.at(0), 'the first step');
    expect(brief(sent.text)).toBe(brief(steps[0]?.text));
    await send('POST /v1/sequences/{id}/pause', letters, {}, [sequence.id]);
    await send('POST /v1/sequences/{id}/resume', letters, {}, [sequence.id]);
  });

  test('is taken and read back: messages', async () => {
    const received = { telegram: 'telegramUserId', twitter: 'twitterUserId' } as const;
    for (const channel of ['telegram', 'twitter'] as const) {
      const kind = channel === 'telegram' ? 'bot' : 'user';
      const account = await newAccount({ workspaceId: workspace.id, env: 'live' }, { channel, kind });
      const user = 9_007_199_254_740_980 + everyLetters.indexOf(letters);
      const from = {
        [received[channel]]: channel === 'telegram' ? user : `${user}9999`,
        username: `${channel}.${everyLetters.indexOf(letters)}`.padEnd(64, '_'),
        name: letters.text(200),
      };
      const inbound = await admin('message receive', letters, {
        ...{ ...place(), channel, accountId: account.id, from, threadId: letters.text(200), sentAt: undefined },
      });
      const messages = `/v1/contacts/${inbound.contactId}/messages`;
      const [stored] = (await workspace.live.get(messages)).body.items;
      expect([brief(stored.body), stored.threadId]).toEqual([brief(letters.text(10_000, true)), letters.text(200)]);
      expect((await workspace.live.get(`/v1/contacts/${inbound.contactId}`)).body).toMatchObject({
        name: from.name,
        username: from.username,
      });
      await send('POST /v1/contacts/{id}/messages/read', letters, { upToMessageId: stored.id }, [inbound.contactId]);
      const { body: open } = await workspace.live.get('/v1/conversations', { limit: 1 });
      const at = [open.items[0].id];
      const snoozedUntil = shifted(new Date(), 365 * dayMs);
      await send('POST /v1/conversations/{id}/assignee', letters, { userId: workspace.memberId }, at);
      await send('POST /v1/conversations/{id}/state', letters, { state: 'snoozed', snoozedUntil }, at);
      await send('POST /v1/conversations/{id}/unread', letters, {}, at);
      await send('POST /v1/conversations/{id}/read', letters, {}, at);
      calls.keep('/v1/conversations/{id}', at[0]);
      const to = { accountId: account.id, contactId: inbound.contactId };
      const nobody = { username: undefined, telegramUserId: undefined, twitterUserId: undefined };
      const rich = { replyToMessageId: undefined, format: undefined, buttons: undefined };
      const given = { ...to, ...nobody, attachments: undefined, ...(channel === 'telegram' && rich) };
      const text = letters.text(channel === 'telegram' ? 4_000 : 10_000, true);
      const reason = letters.text(100_000, true);
      if (channel === 'telegram')
        await send('POST /v1/files', letters, { contentType: `text/plain;${'x'.repeat(244)}` });
      const answer = channel === 'telegram' ? { ok: false, description: reason } : { detail: reason };
      await account.react({ status: 400, body: answer });
      const refused = await send(`POST /v1/${channel}/messages`, letters, { ...given, runAt: undefined });
      const failed = await ended(refused.id);
      expect([failed.status, failed.lastError.length > 400]).toEqual(['failed', true]);
      // One line of it, as an error is.
      expect(reason.replaceAll(/[\n\t\r]+/g, ' ')).toContain(failed.lastError.replace(/^.* answered 400: /, ''));
      if (channel === 'telegram') {
        await send('POST /v1/telegram/messages/{id}/retry', letters, {}, [refused.id]);
        expect(await ended(refused.id)).toMatchObject({ status: 'sent', lastError: null });
      } else {
        const job = await send('POST /v1/twitter/messages', letters, { ...given, runAt: undefined });
        expect(await ended(job.id)).toMatchObject({ status: 'sent', attempts: 1 });
      }
      const arrived = (await account.arrived()).stored;
      expect(arrived.map((one) => brief(one.text))).toEqual([brief(text)]);
      const [sent] = (await workspace.live.get(messages, { direction: 'outbound' })).body.items;
      expect([sent.status, brief(sent.body)]).toEqual(['sent', brief(text)]);
      calls.keep('/v1/jobs/{id}', refused.id);
    }
  });

  test('is taken and read back: accounts of channels in no way of their own', async () => {
    plainChannels ??= platforms.filter((channel) => !calls.driven.has(`${channel}-account create`));
    expect(plainChannels).toContain('twitter');
    for (const channel of plainChannels) {
      const { id } = await admin(`${channel}-account create`, letters, place());
      await admin(`${channel}-account update`, letters, { ...place(), id });
      await admin(`${channel}-account connect`, letters, { ...place(), id });
      const accounts = `/v1/${channel}/accounts`;
      if (operations.has(`PATCH ${accounts}/{id}`)) await send(`PATCH ${accounts}/{id}`, letters, quiet, [id]);
      if (operations.has(`POST ${accounts}`)) {
        // In the sandbox, where no platform is asked whose token it is.
        const twin = await send(`POST ${accounts}`, letters, {}, [], workspace.test);
        if (operations.has(`POST ${accounts}/{id}/disconnect`))
          await send(`POST ${accounts}/{id}/disconnect`, letters, {}, [twin.id], workspace.test);
        calls.forget(`${accounts}/{id}`, twin.id);
      }
      calls.keep(`${accounts}/{id}`, id);
    }
  });

  test.each(Object.values(messaging))('is taken and read back: a message of $name for later', async (channel) => {
    const { id: accountId } = await admin(`${channel.name}-account create`, letters, place());
    const messages = `/v1/${channel.name}/messages`;
    const { text, [channel.identity.field]: userId, ...others } = largestBody(`POST ${messages}`, letters);
    const left = Object.fromEntries(Object.keys(others).map((name) => [name, undefined]));
    const waiting = await send(`POST ${messages}`, letters, { ...left, accountId, runAt: tomorrow() });
    expect([text, userId].every((given) => given !== undefined)).toBe(true);
    await send(`PATCH ${messages}/{id}`, letters, { runAt: tomorrow() }, [waiting.id]);
    await send(`POST ${messages}/{id}/cancel`, letters, {}, [waiting.id]);
    calls.keep('/v1/jobs/{id}', waiting.id);
  });

  test('is taken and read back: mail', async () => {
    const { raw, text, subject, files } = largestMail(letters);
    const { threadId } = await admin('email receive', letters, { ...place(), raw });
    const path = `/v1/email/threads/${threadId}`;
    calls.keep('/v1/email/threads/{id}', threadId);
    const { body: thread } = await workspace.live.get(path);
    const [message] = (await workspace.live.get(`${path}/messages`)).body.items;
    expect(brief(message.bodyText)).toBe(brief(text));
    expect(brief(thread.subject)).toBe(brief(subject));
    expect(brief(message.attachments.map(({ fileName }: Fields) => fileName))).toBe(
      brief(files.map((name) => cleanFileName(name))),
    );
    await send('POST /v1/email/threads/{id}/assignee', letters, { userId: workspace.memberId }, [threadId]);
    await send('POST /v1/email/threads/{id}/status', letters, { status: 'pending' }, [threadId]);
    const replies = 'POST /v1/email/threads/{id}/replies';
    const html = `<p>${letters.text(200_000 - 7).replaceAll(/[<&"]/g, '.')}</p>`;
    const plain = { runAt: undefined, replyAll: false, attachments: undefined };
    for (const body of [{ bodyHtml: null }, { bodyText: letters.text(2_000, true), bodyHtml: html }]) {
      const job = await send(replies, letters, { ...plain, ...body }, [threadId]);
      expect(await ended(job.id)).toMatchObject({ status: 'sent', attempts: 1 });
      const [sent] = (await workspace.live.get(`${path}/messages`)).body.items;
      expect([sent.status, brief(sent.bodyHtml)]).toEqual(['sent', brief(body.bodyHtml)]);
      const own = body.bodyText ?? letters.text(100_000, true);
      expect(brief(sent.bodyText.slice(0, own.length))).toBe(brief(own));
      calls.texts.add(sent.bodyText);
    }
    const waiting = await send(replies, letters, { ...plain, bodyHtml: null, runAt: tomorrow() }, [threadId]);
    await send('PATCH /v1/jobs/{id}', letters, { runAt: tomorrow() }, [waiting.id]);
    const suppressed = { address: addressOf(everyLetters.indexOf(letters)) };
    await send('POST /v1/email/suppressions', letters, suppressed);
    const removal = await workspace.live.call('DELETE', '/v1/email/suppressions', { query: suppressed });
    expect(removal.status).toBe(200);
    calls.driven.add('DELETE /v1/email/suppressions');
    // SES takes fifty in all.
    const bcc = Array.from({ length: 10 }, (_, index) => addressOf(100 + index));
    const mail = { bcc, bodyHtml: null, contactId: undefined, runAt: undefined, attachments: undefined };
    const job = await send('POST /v1/email/messages', letters, mail);
    expect(await ended(job.id)).toMatchObject({ status: 'sent', attempts: 1 });
    calls.keep('/v1/email/threads/{id}', job.threadId);
    const [written] = (await workspace.live.get(`/v1/email/threads/${job.threadId}/messages`)).body.items;
    expect([written.to.length, written.cc.length]).toEqual([20, 20]);
    expect(brief(written.subject)).toBe(brief(letters.text(500)));
    const [recipient] = written.to.map(({ email }: Fields) => email);
    await admin('email bounce', letters, { ...place(), messageId: written.id, recipient, type: 'permanent' });
    const { status, lastError } = (await workspace.live.get(`/v1/jobs/${job.id}`)).body;
    expect([status, brief(lastError)]).toEqual(['failed', brief(`bounced: ${letters.text(480)}`)]);
  });

  test('is taken and read back: a stored mail that is read again', async () => {
    const { raw, subject } = largestMail(letters);
    const key = letters.text(256).replaceAll('/', '.');
    bucket.put(key, raw);
    const recipients = Array.from({ length: 99 }, (_, index) => addressOf(index));
    recipients.push(`workspace-${workspace.id}@mail.example.org`);
    expect(await admin('email reread', letters, { key, recipients, since: undefined })).toMatchObject({ stored: 1 });
    const [thread] = (await workspace.live.get('/v1/email/threads')).body.items;
    expect(brief(thread.subject)).toBe(brief(subject));
  });

  test('is taken and read back: the panel', async () => {
    const { id: workspaceId, live } = await newWorkspace();
    const owner = await signedIn(workspaceId);
    const session = (operation: string, fields: Fields = {}, ids: number[] = []) =>
      send(operation, letters, fields, ids, owner);
    const at = { workspaceId, env: 'live' };
    const email = `${'x'.repeat(240)}${everyLetters.indexOf(letters)}@example.com`;
    await send('POST /panel/sign-ins', letters, { email }, [], anonymous());
    const { body } = await anonymous().post('/panel/sessions', largestBody('POST /panel/sessions', letters));
    expect(body.details).toEqual(because('invalid_token'));
    calls.driven.add('POST /panel/sessions');
    await session('PATCH /panel/me');
    await session('PATCH /panel/workspace');
    await admin('workspace update', letters, { id: workspaceId });
    const member = await session('POST /panel/members', { email, role: 'admin' });
    await session('PATCH /panel/members/{id}', { isActive: true, role: 'member' }, [member.id]);
    await admin('member update', letters, { workspaceId, id: member.id, isActive: true, role: 'member' });
    expect((await admin('member sign-in-link', letters, { workspaceId, email })).link).toContain('/panel/#/sign-in/');
    const { body: contact } = await owner.post('/v1/contacts', { name: letters.text(200) });
    const { body: deal } = await owner.post('/v1/deals', { title: letters.text(200), value: 1 });
    await session('POST /panel/deals/{id}/win', {}, [deal.id]);
    const dates = { issueDate: '9999-12-30T00:00:00Z', dueDate: '9999-12-31T00:00:00Z' };
    const draft = { ...dates, contactId: contact.id, status: 'draft' };
    const invoice = async () => (await session('POST /panel/invoices', draft)).id;
    const [first, second] = [await invoice(), await invoice()];
    await session('POST /panel/invoices/{id}/send', {}, [first]);
    await session('POST /panel/invoices/{id}/cancel', {}, [first]);
    await admin('invoice send', letters, { ...at, id: second });
    await admin('invoice cancel', letters, { ...at, id: second });
    const length = Math.min(4_000, Math.floor(8_300 / Math.max(...[...letters.text(100, true)].map(bytesOf))));
    const steps = Array.from({ length: 30 }, () => ({
      delayMinutes: 525_600,
      subject: 'S',
      text: letters.text(length, true),
    }));
    const written: Fields = { ...largestBody('POST /panel/sequences', letters), accountId: null, steps };
    for (const way of ['panel', 'command']) {
      const made = await owner.post('/panel/sequences', { ...written, channel: 'email', status: 'draft' });
      expect([made.status, made.body.stepCount]).toEqual([201, 30]);
      const { id } = made.body;
      const path = `/panel/sequences/${id}`;
      expect((await owner.patch(path, { name: written['name'], accountId: null, steps })).body.stepCount).toBe(30);
      await session('POST /panel/sequences/{id}/enroll', { contactId: contact.id }, [id]);
      if (way === 'panel') await session('POST /panel/sequences/{id}/activate', {}, [id]);
      else {
        await admin('sequence update', letters, { ...at, id, accountId: null, steps });
        await admin('sequence activate', letters, { ...at, id });
      }
    }
    for (const name of ['POST /panel/sequences', 'PATCH /panel/sequences/{id}']) calls.driven.add(name);
    // A call writes 10 MB: a hundred contacts fit a sequence of one largest step.
    const short = { ...written, steps: steps.slice(0, 1), channel: 'email', status: 'draft' };
    const { body: open } = await owner.post('/panel/sequences', short);
    const people = Array.from({ length: 100 }, (_, index) => ({
      op: 'create',
      name: letters.text(100),
      email: addressOf(index),
    }));
    const { body: all } = await owner.post('/v1/contacts/batch', { items: people }, 200);
    const contactIds = all.results.map((one: { contact: { id: number } }) => one.contact.id);
    await owner.post(`/panel/sequences/${open.id}/activate`, {}, 200);
    const { results } = await send('POST /v1/sequences/{id}/enrollments', letters, { contactIds }, [open.id], live);
    expect(results.filter(({ status }: Answer) => status !== 201)).toEqual([]);
    const out = [open.id, results[0].enrollment.id];
    await send('DELETE /v1/sequences/{id}/enrollments/{enrollmentId}', letters, {}, out, owner);
    const link = `/hooks/unsubscribe/${encodeURIComponent(letters.text(600))}`;
    const statusOf = async (method: string) => (await fetch(new URL(link, placeOf('baseUrl')), { method })).status;
    expect([await statusOf('GET'), await statusOf('POST')]).toEqual([200, 404]);
    for (const method of ['GET', 'POST']) calls.driven.add(`${method} /hooks/unsubscribe/{token}`);
    const accountIds = await accountsOfAgent({ workspaceId, env: 'live' });
    const agent = await session('POST /panel/agents', { accountIds, status: 'disabled' });
    await session('PATCH /panel/agents/{id}', { accountIds, status: 'active' }, [agent.id]);
    const feedUrl = `https://example.com/${'x'.repeat(2028)}`;
    const source = await session('POST /panel/revenue-sources', {
      feedUrl,
      mode: 'push',
      credential: 'x'.repeat(4096),
    });
    await session('POST /panel/revenue-sources/{id}/pause', {}, [source.id]);
    await session('POST /panel/revenue-sources/{id}/connect', { credential: 'x'.repeat(4096) }, [source.id]);
    await admin('revenue-source pause', letters, { ...at, id: source.id });
    const { threadId } = await admin('email receive', letters, { ...at, raw: largestMail(letters).raw });
    await everyPage(owner, {
      operation: 'GET /panel/email/threads/{id}/recipients',
      path: `/panel/email/threads/${threadId}/recipients`,
      hasPages: false,
    });
    const create = { ...largestBody('POST /v1/contacts', letters), email: undefined, assignedToUserId: null };
    await session('POST /v1/email/threads/{id}/contact', { contactId: undefined, create }, [threadId]);
    for (const path of [
      '/panel/me',
      '/panel/sessions',
      '/panel/workspace',
      '/panel/sessions/current',
      '/panel/conversations',
      '/panel/conversations/unread',
      '/panel/webhooks/days',
    ])
      await everyPage(owner, { operation: `GET ${path}`, path, hasPages: path.endsWith('conversations') });
    const query = schemaOf(operations.get('GET /panel/conversations')?.query as GenericSchema);
    for (const [name, schema] of Object.entries(query).filter(([name]) => name !== 'cursor'))
      expect((await owner.get('/panel/conversations', queryOf('', name, schema, letters))).status, name).toBe(200);
    await owner.delete('/panel/sessions/current', 200);
    calls.driven.add('DELETE /panel/sessions/current');
  });

  /** It waits for the undo of the one before. */
  const longMs = 120_000;
  test('is taken in from a file, and written to one', async () => {
    const { live } = workspace;
    const header = letters.text(100).replaceAll(/[",\n\r]/g, 'x');
    const fileId = await uploadedSheet(live, `name,${header}\n"${letters.text(200).replaceAll('"', '')}",\n`);
    const file = { fileId, object: 'contacts', format: 'csv', encoding: 'utf-8', delimiter: ',' };
    const preview = await live.post('/v1/imports/preview', file, 200);
    expect(preview.body.columns.map((column: { header: string }) => column.header)).toEqual(['name', header]);
    const body = { ...file, mapping: { name: 'name' }, matchOn: 'id', createMissing: ['tags', 'options', 'companies'] };
    for (const change of ['undo', 'cancel']) {
      const { id } = (await live.post('/v1/imports', { ...body, matchOn: undefined }, 202)).body;
      const ended = await eventually(
        async () => {
          const { body: one } = await live.get(`/v1/imports/${id}`);
          return one.status === 'completed' && one;
        },
        `import ${id} to end`,
        longMs,
      );
      expect(ended).toMatchObject({ created: 1, failed: 0 });
      expect((await live.post(`/v1/imports/${id}/${change}`, {})).status).toBe(change === 'undo' ? 202 : 409);
    }
    const { filter } = viewOf(letters);
    const columns = [`metadata.${'k'.repeat(40)}`, 'name'];
    const written = (await live.post('/v1/exports', { object: 'contacts', format: 'csv', filter, columns }, 202)).body;
    const done = await eventually(async () => {
      const { body: one } = await live.get(`/v1/exports/${written.id}`);
      return one.status === 'completed' && one;
    }, `export ${written.id} to end`);
    expect(done).toMatchObject({ rows: 0, error: null });
    for (const name of ['/preview', '', '/{id}/undo', '/{id}/cancel']) calls.driven.add(`POST /v1/imports${name}`);
    for (const name of ['POST /v1/exports', 'GET /v1/exports/{id}', 'GET /v1/imports/{id}']) calls.driven.add(name);
  });

  test('is taken and read back: what is made, changed and deleted in no way of its own', async () => {
    const { memberId: assignedToUserId } = workspace;
    const named = { contactId, dealId, assignedToUserId, ...fields('task') };
    plain ??= plainResources([...operations.keys()].filter((name) => !calls.driven.has(name)));
    expect(Object.keys(plain)).toContain('POST /v1/tasks');
    for (const [create, { changes, remove }] of Object.entries(plain)) {
      const known = (operation: string) => knownTo(operation, pathOf(create) === '/v1/views' ? viewOf(letters) : named);
      const { id } = await send(create, letters, known(create));
      for (const change of changes) await send(change, letters, known(change), [id]);
      if (remove === undefined) continue;
      await send(remove, letters, {}, [id]);
      calls.forget(`${pathOf(create)}/{id}`, id);
      await send(create, letters, known(create));
    }
  });

  test('is archived, restored, and searched', async () => {
    for (const [noun, made] of Object.entries({
      contacts: { name: 'A', phone: '1234567' },
      companies: { name: 'A' },
      deals: { title: 'A' },
    })) {
      const { id } = (await workspace.live.post(`/v1/${noun}`, made, 201)).body;
      for (const change of ['archive', 'restore']) await send(`POST /v1/${noun}/{id}/${change}`, letters, {}, [id]);
    }
    for (const [noun, field] of Object.entries({
      contacts: 'name',
      companies: 'name',
      deals: 'title',
      tasks: 'title',
    })) {
      const condition = { field, op: 'contains', value: letters.text(5000) };
      const filter = { or: Array.from({ length: 49 }, () => ({ not: condition })) };
      const sort = ['createdAt', 'updatedAt', field].map((one) => ({ field: one }));
      const first = await workspace.live.post(`/v1/${noun}/search`, { filter, sort, archived: 'all', limit: 1 }, 200);
      expect(bytes(first.body)).toBeLessThan(maxAnswerBytes);
      const all = await workspace.live.post(`/v1/${noun}/search`, { q: letters.text(200), filter, limit: 100 }, 200);
      expect(bytes(all.body)).toBeLessThan(maxAnswerBytes);
      calls.driven.add(`POST /v1/${noun}/search`);
    }
  });

  test('is a dead letter, put back and discarded', async () => {
    const tenant = tenantKey({ workspaceId: workspace.id, env: 'live' });
    const key = rowKey('outbox', {
      shard: shardOf('outbox', tenant),
      time: timestamp(),
      transaction: String(everyLetters.indexOf(letters)),
    });
    const row = { ...key, tenant, text: letters.text(90_000, true) };
    const id = `${row.pk}/${row.sk}`;
    await writeRows([{ PutRequest: { Item: row } }]);
    await bury(row, new Error(letters.text(100_000, true)));
    expect((await admin('dead-letter list', letters, {})).map((one: { id: string }) => one.id)).toContain(id);
    await admin('dead-letter retry', letters, { id });
    expect([...(await readRows([row])).values()]).toEqual([expect.not.objectContaining({ dead: expect.anything() })]);
    await bury(row, new Error('again'));
    await admin('dead-letter discard', letters, { id });
    expect((await readRows([row])).size).toBe(0);
  });
});

/** A view of the largest values. */
const viewOf = (letters: Letters): Fields => ({
  object: 'contact',
  filter: { or: Array.from({ length: 10 }, () => ({ field: 'name', op: 'contains', value: letters.text(1000) })) },
  sort: ['createdAt', 'updatedAt', 'name'].map((field) => ({ field, direction: 'desc', nulls: 'first' })),
  columns: Array.from({ length: 100 }, () => 'name'),
});

/** The same for all letters, as `plain`. */
let plainChannels: readonly Platform[] | undefined;

interface PlainResource {
  changes: string[];
  remove: string | undefined;
}
/** The same for all letters: found before the first have called them. */
let plain: Record<string, PlainResource> | undefined;

const pathOf = (operation: string) => operation.split(' ')[1] as string;

/** By the operations that make them: what has a path of its own, and the operations on it. */
function plainResources(names: readonly string[]): Record<string, PlainResource> {
  const creating = names.filter(
    (name) => name.startsWith('POST ') && operations.has(`GET ${pathOf(name)}/{id}`) && !name.includes('{'),
  );
  return Object.fromEntries(
    creating.map((create) => {
      const one = `${pathOf(create)}/{id}`;
      const remove = `DELETE ${one}`;
      const ofOne = names.filter((name) => !/^(GET|DELETE) /.test(name) && pathOf(name).startsWith(one));
      // An archived record takes nothing but its restoration.
      const last = ['archive', 'restore']
        .map((change) => `POST ${one}/${change}`)
        .filter((name) => ofOne.includes(name));
      const changes = [...ofOne.filter((name) => !last.includes(name)), ...last];
      return [create, { changes, remove: names.includes(remove) ? remove : undefined }];
    }),
  );
}

const bodySchemaOf = (operation: string) => schemaOf(operations.get(operation)?.body ?? v.object({}));

/** Of these fields those that a body has. */
const knownTo = (operation: string, fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => name in bodySchemaOf(operation)));

const ended = (jobId: number) =>
  eventually(async () => {
    const { body } = await workspace.live.get(`/v1/jobs/${jobId}`);
    return body.status !== 'queued' && body;
  }, `job ${jobId} to end`);

/** What keys may read. */
const reads = [...operations.values()].filter(({ method, path }) => method === 'GET' && !path.startsWith('/panel'));

/** One range for what else counts up to now, or a second passes between two answers. */
const range = `?from=${shifted(new Date(), -300 * dayMs)}&to=${shifted(new Date(), dayMs)}`;

interface Read {
  operation: string;
  path: string;
  hasPages: boolean;
}

/** Whatever can be read, of everything that was made. */
function* everyRead(): Generator<Read> {
  for (const { path: template, query } of reads) {
    const read = { operation: `GET ${template}`, hasPages: query !== undefined && 'limit' in schemaOf(query) };
    const [thing = '', rest = ''] = template.split(/(?<=\{id\})(.*)/);
    if (template.endsWith('/finance/summary')) yield { ...read, path: `${template}${range}` };
    else if (template === '/v1/search') yield { ...read, path: `${template}?q=a` };
    else if (template.endsWith('/fields/schema')) yield { ...read, path: `${template}?object=contact` };
    else if (!template.includes('{')) yield { ...read, path: template };
    else if (!rest.includes('{'))
      for (const id of calls.made.get(thing) ?? []) yield { ...read, path: template.replace('{id}', String(id)) };
  }
}

/** Every page of what a path answers, in no more than the contract allows for one. */
async function everyPage(client: Client, { operation, path, hasPages }: Read): Promise<unknown[]> {
  const pages: unknown[] = [];
  let after: Record<string, number> = {};
  for (;;) {
    const { status, body } = await client.get(path, hasPages ? { limit: 100, ...after } : {});
    const size = bytes(body);
    const isFile = status === 202 && path.endsWith('/export');
    if ((status !== 200 && !isFile) || size > maxAnswerBytes)
      throw new Error(`GET ${path} answers ${status}, ${size} bytes, ${brief(body)}`);
    pages.push(body);
    calls.driven.add(operation);
    if (!body.hasMore) return pages;
    const cursor = 'cursor' in schemaOf(operations.get(operation)?.query as GenericSchema) ? 'cursor' : 'after';
    after = path === '/v1/events' ? { since: body.items.at(-1).sequence } : { [cursor]: body.nextCursor };
  }
}

/** What parameters take whose form their schema does not tell. */
const longestKey = '0'.padStart(40, 'k-._K');
const formedQueries: Fields = {
  ids: Array.from({ length: 100 }, (_, index) => 2_147_483_647 - index).join(','),
};

/** The largest query of a list: each parameter by itself, because together they find nothing. */
function* everyQuery(letters: Letters): Generator<[Read, Record<string, string>]> {
  const seen = new Set<string>();
  for (const read of everyRead()) {
    const { query } = operations.get(read.operation) as Route;
    if (!query || seen.has(read.operation)) continue;
    seen.add(read.operation);
    // Only an answer gives a cursor.
    for (const [name, schema] of Object.entries(schemaOf(query)))
      if (name !== 'cursor') yield [read, queryOf(read.path, name, schema, letters)];
  }
}

function queryOf(path: string, name: string, schema: Schema, letters: Letters): Record<string, string> {
  if (name === 'metadata') return { [`metadata.${longestKey}`]: letters.text(500, true) };
  // Of a range both, which may be no further apart.
  if (name === 'from' || name === 'to') return { from: '9999-01-01T00:00:00Z', to: '9999-12-31T23:59:59Z' };
  if (name === 'type' && !schema['enum'])
    return { type: (path.startsWith('/v1/companies/') ? companyActivityTypes : activityTypes).join(',') };
  if (name === 'types') return { q: 'a', types: 'contacts,companies,deals,tasks,threads' };
  if (name === 'object' && !schema['enum']) return { object: 'contact,company,deal,task' };
  if (name === 'status' && !schema['enum']) return { status: '5xx' };
  // Without its last character it is the beginning of what is longer, too.
  if (name === 'q') return { q: (largest(schema, name, letters) as string).slice(0, -1) };
  return { [name]: String(formedQueries[name] ?? largest(schema, name, letters)) };
}

describe('a resource of the largest input', () => {
  let events: Event[];
  /** All that was read, by its path. */
  const shown = new Map<string, unknown[]>();

  test('can be read to its end, in answers below 5 MB', async () => {
    for (const read of everyRead()) shown.set(read.path, await everyPage(workspace.live, read));
  });

  test.each(everyLetters)('is found by the largest query of $name', async (letters) => {
    for (const [{ path }, query] of everyQuery(letters)) {
      const { status, body } = await workspace.live.get(path.replace(/\?.*/, ''), query);
      if (status !== 200 || bytes(body) > maxAnswerBytes)
        throw new Error(`GET ${path} ${brief(query)} answers ${status} ${brief(body)}`);
      const [name = ''] = Object.keys(query);
      if (finding.test(name) && body.items.length === 0 && !body.hasMore)
        throw new Error(`GET ${path} finds nothing by ${brief(query)}`);
    }
  });

  test.each(everyLetters)('is told that there is no such operation: $name', async (letters) => {
    const { status } = await workspace.live.get(`/v1/${encodeURIComponent(letters.text(600))}`);
    expect(status).toBe(404);
    calls.driven.add('ANY $default');
  });

  test('is in the feed, shortened only where the event says so', async () => {
    events = await feedOf(workspace.live);
    const wrong = events.flatMap(({ sequence, event, data, truncated = [] }) =>
      leaves(data, 'data').flatMap(([path, text]) => {
        const isCut = truncated.includes(path);
        if (bytesOf(text) > maxEventTextBytes) return [`${sequence} ${event}: ${path} has ${bytesOf(text)} bytes`];
        const isWhole = bytesOf(text) < 300 || calls.texts.has(text);
        const isBeginning = !isWhole && [...calls.texts].some((given) => given.startsWith(text));
        return isCut === isBeginning
          ? []
          : [`${sequence} ${event}: ${path} is ${isCut ? '' : 'not '}said to be cut: ${brief(text)}`];
      }),
    );
    expect(wrong).toEqual([]);
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
  });

  test('reaches a receiver as the feed shows it, signed, and again when it is replayed', async () => {
    // A test goes to its own endpoint alone.
    const wanted = events.filter(({ event, sequence }) => event !== 'webhook.test' && sequence > sequenceBefore);
    const told = await eventually(
      () => {
        const bodies = new Map(receiver.received.map((one) => [one.body.id as string, one]));
        return Promise.resolve(wanted.every(({ id }) => bodies.has(id)) && bodies);
      },
      'every event to be delivered',
      60_000,
    );
    for (const event of wanted) {
      const { text, headers, body } = told.get(event.id) as Received;
      expect(brief(body)).toBe(brief(event));
      expect(calls.secrets.some((secret) => isSigned(secret, text, headers as Record<string, string>))).toBe(true);
    }
    const longest = wanted.reduce((a, b) => (bytes(a) > bytes(b) ? a : b));
    const deliveries = await everyItem(workspace.live, `/v1/webhooks/${hookId}/deliveries`, { limit: 100 });
    expect(deliveries.filter(({ status }) => status !== 'succeeded')).toEqual([]);
    const { deliveryId } = deliveries.find(({ eventId }) => eventId === longest.id);
    const path = `/v1/webhooks/${hookId}/deliveries/${deliveryId}`;
    const read = { operation: 'GET /v1/webhooks/{id}/deliveries/{deliveryId}', path, hasPages: false };
    expect(await everyPage(workspace.live, read)).toMatchObject([{ responseBody: answered.slice(0, 2 * 1024 - 1) }]);
    const [letters] = everyLetters as [Letters];
    await send('POST /v1/webhooks/{id}/deliveries/{deliveryId}/replay', letters, {}, [hookId, deliveryId]);
    await admin('delivery replay', letters, { workspaceId: workspace.id, env: 'live', webhookId: hookId, deliveryId });
    const again = await eventually(async () => {
      const same = receiver.received.filter(({ body }) => body.id === longest.id);
      return same.length > 2 && same;
    }, 'the replays');
    for (const { text } of again) expect(text).toBe(again[0]?.text);
  });

  test('is in the audit', async () => {
    await eventually(async () => {
      const entries = await everyItem(workspace.live, '/v1/audit-events', { limit: 100 });
      const audited = new Set(entries.map(({ requestId }) => requestId));
      return calls.changes.every((requestId) => audited.has(requestId));
    }, 'every change to be audited');
  });

  test('is told to a model', async () => {
    const { value } = mcp(workspace.liveKey);
    calls.driven.add('POST /mcp');
    for (const letters of everyLetters) {
      for (const tool of ['contacts_search', 'deals_search', 'tasks_search', 'email_search']) {
        const found = await value(tool, {
          q: letters.text(tool === 'email_search' ? 100 : 200).slice(0, -1),
          limit: 100,
        });
        expect([tool, brief(found.items?.length > 0 || found.hasMore)]).toEqual([tool, 'true']);
      }
    }
  });

  test('is the same in another workspace after an export and an import', async () => {
    const [letters] = everyLetters as [Letters];
    const folder = await mkdtemp(join(tmpdir(), 'crm-largest-'));
    const file = join(folder, letters.text(62));
    const { id } = await admin('workspace create', letters, {});
    const exported = await admin('workspace export', letters, { id: workspace.id, file });
    expect(await admin('workspace import', letters, { id, file })).toEqual(exported);
    await rm(folder, { recursive: true });
    const complete = { reindexing: null };
    expect(await admin('workspace reindex', letters, { id })).toMatchObject({
      live: complete,
      test: complete,
    });
    expect((await admin('workspace show', letters, { id })).name).toBe('Test');
    const bus = process.env['EVENT_BUS'];
    expect(await admin('workspace finish', letters, { id })).toMatchObject({ finished: expect.any(Object) });
    vi.stubEnv('EVENT_BUS', bus);
    const moved = await clientOf(id);
    for (const read of everyRead()) {
      if (differs.test(read.path)) continue;
      const [theirs, ours] = [shown.get(read.path), await everyPage(moved, read)];
      if (!isDeepStrictEqual(theirs, ours))
        throw new Error(`${read.path} shows ${brief(ours)} instead of ${brief(theirs)}`);
    }
  });
});

/** Parameters by which something is found in each list that has them. */
const finding = /^(q|metadata\..*|email|phone|username|category)$/;

/** Who asks, when, what is disconnected and switched off by the move, and what it adds. */
const differs =
  /^\/v1\/(me|keys|webhooks|events|imports|exports|audit-events|request-logs|analytics|\w+\/accounts|finance\/revenue-sources|members|contacts\/\d+\/export)/;

interface Event {
  id: string;
  sequence: number;
  event: string;
  data: Fields;
  truncated?: string[];
}

async function feedOf(client: Client): Promise<Event[]> {
  const read = { operation: 'GET /v1/events', path: '/v1/events', hasPages: true };
  const pages = (await everyPage(client, read)) as { items: Event[] }[];
  return pages.flatMap(({ items }) => items);
}

/** Compares instead of verifying: the library's verification refuses what is older than five minutes. */
function isSigned(secret: string, text: string, headers: Record<string, string>): boolean {
  const { 'webhook-id': id = '', 'webhook-timestamp': seconds, 'webhook-signature': signatures = '' } = headers;
  return signatures.split(' ').includes(new Webhook(secret).sign(id, new Date(Number(seconds) * 1000), text));
}

/** Every text in a value, with the path to it. */
function leaves(value: unknown, path: string): [string, string][] {
  if (typeof value === 'string') return [[path, value]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => leaves(inner, `${path}.${key}`));
}

test('a contact with all of it is erased', async () => {
  for (const letters of everyLetters) {
    const erased = await send('POST /v1/contacts', letters, {
      assignedToUserId: workspace.memberId,
      tags: undefined,
    });
    await send('POST /v1/contacts/{id}/activities', letters, {}, [erased.id]);
    const erasure = await send('POST /v1/contacts/{id}/erasure', letters, { confirm: String(erased.id) }, [erased.id]);
    await eventually(async () => {
      const { body } = await workspace.live.get(`/v1/erasures/${erasure.id}`);
      return body.status === 'completed';
    }, 'the erasure is completed');
    await send('GET /v1/erasures/{id}', letters, {}, [erasure.id]);
  }
});

/** Operations and commands that take nothing which could be large. */
const withoutInput: Record<string, string> = {
  'GET /v1/messages/{id}/attachments/{attachmentId}': 'takes two ids',
  'GET /v1/email/threads/{id}/messages/{messageId}/attachments/{attachmentId}': 'takes three ids',
  'DELETE /panel/sessions/{id}': 'takes an id',
  'DELETE /panel/sessions': 'takes nothing',
  'GET /panel/{path+}': 'takes the name of a file of the page',
  'queue redrive': 'takes one of a closed list of queues, and moves what other tests have left there, too',
  'deployment guard': 'takes up to 180 minutes, and asks CloudFormation of a deployed stack',
};

test('everything was driven with its largest input, or takes none', () => {
  const all = [...operations.keys(), ...commands.keys()];
  const excused = Object.keys(withoutInput);
  expect(all.filter((name) => !calls.driven.has(name) && !excused.includes(name))).toEqual([]);
  expect(excused.filter((name) => !all.includes(name) || calls.driven.has(name))).toEqual([]);
  const open = excused.filter((name) =>
    isOpen(jsonSchema(operations.get(name)?.body ?? commands.get(name)?.input ?? v.object({}))),
  );
  expect(open).toEqual([]);
});

/** As many as an agent has at most; they are disconnected, as no environment has so many that are not. */
async function accountsOfAgent(tenant: Tenant): Promise<number[]> {
  const { accountIds } = jsonSchema(commands.get('agent create')?.input as GenericSchema)['properties'] as {
    accountIds: { maxItems: number };
  };
  const ids: number[] = [];
  while (ids.length < accountIds.maxItems) {
    const { id } = await newAccount(tenant);
    await transact(tenant, operator, async (tx) =>
      disconnectAccount(tx, await tx.get(Accounts, { id }, () => notFound('account'))),
    );
    ids.push(id);
  }
  return ids;
}

/** Whether a schema takes a text, a number without bounds or a list that somebody may choose. */
const isOpen = (schema: Schema): boolean =>
  schema['type'] === 'object'
    ? Object.values((schema['properties'] ?? {}) as Schema).some(isOpen)
    : schema['type'] !== 'boolean' && !schema['enum'] && schema['maximum'] === undefined;
