import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Webhook } from 'standardwebhooks';
import type { GenericSchema } from 'valibot';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { loadRoutes } from '#infra/functions.ts';
import { SchemaComponents } from '#infra/openapi/schemas.ts';
import { exportWorkspace } from '#lib/archive/export.ts';
import { importWorkspace } from '#lib/archive/import.ts';
import { dayMs, shifted } from '#lib/clock.ts';
import { mintKey } from '#lib/keys/store.ts';
import { scopes } from '#lib/scopes.ts';
import { transact } from '#lib/table/transact.ts';
import { operator } from '#lib/tenant.ts';
import { createWorkspace } from '#lib/workspaces/store.ts';
import { type Answer, api, type Client, eventually, everyItem } from '#test/client.ts';
import { addressOf, everyLetters, type Letters, largest } from '#test/contract/largest-values.ts';
import type { Schema } from '#test/contract/wrong-values.ts';
import { mcp } from '#test/mcp/client.ts';
import { newAccount } from '#test/telegram/line.ts';
import { type Received, type Receiver, startReceiver } from '#test/webhooks/receiver.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const maxBodyBytes = 1_048_576;
const maxAnswerBytes = 5_000_000;
const maxEventTextBytes = 16 * 1024;

const components = new SchemaComponents();
const jsonSchema = (schema: GenericSchema) => components.resolve(components.input(schema)) as Schema;
const bytesOf = (text: string) => Buffer.byteLength(text);
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

const routes = await loadRoutes();
const withBody = routes.filter(({ route }) => route.body && route.path !== '/mcp');
const bodies = new Map(
  withBody.map(({ route }) => [`${route.method} ${route.path}`, jsonSchema(route.body as GenericSchema)]),
);
const reads = routes.filter(({ route }) => route.method === 'GET' && route.path.startsWith('/v1/'));

let workspace: TestWorkspace;
let receiver: Receiver;
/** All endpoints have one, and every rotation makes another. */
const secrets: string[] = [];
let hookId: number;
/** Of the last event before there was an endpoint. */
let sequenceBefore: number;
/** Request ids of what changed something. */
const changes: string[] = [];
/** Every text that was given. */
const givenTexts = new Set<string>();
const tried = new Set<string>();
/** What there is to read: `/v1/contacts/{id}`, by its ids. */
const made = new Map<string, number[]>();

beforeAll(async () => {
  workspace = await newWorkspace();
  receiver = await startReceiver();
  const minted = await eventually(async () => (await workspace.live.get('/v1/events')).body.items.at(-1), 'its key');
  sequenceBefore = minted.sequence;
  const { body } = await workspace.live.post('/v1/webhooks', { url: receiver.url, eventKinds: ['*'] });
  secrets.push(body.secret);
  hookId = body.id;
});

afterAll(() => receiver?.[Symbol.asyncDispose]());

type Fields = Record<string, unknown>;

/** An operator's command, as `npm run admin` runs it. */
async function admin(noun: string, verb: string, letters: Letters, fields: Fields) {
  const { commands } = (await import(`#infra/admin/commands/${noun}.ts`)) as {
    commands: Record<string, { input: GenericSchema; run(input: unknown): Promise<Answer['body']> }>;
  };
  const command = commands[verb] as (typeof commands)[string];
  const given = { ...(largest(jsonSchema(command.input), '', letters) as Fields), ...fields };
  remember(given);
  return command.run(v.parse(command.input, given));
}

function remember(given: unknown): void {
  if (typeof given === 'string') givenTexts.add(given);
  else if (typeof given === 'object' && given !== null) for (const inner of Object.values(given)) remember(inner);
}

/**
 * Sends the largest body of an operation but for some fields, twice under one Idempotency-Key, and demands that it is taken, that
 * the answer says what was given, and that the same is read back.
 */
async function send(
  operation: string,
  letters: Letters,
  fields: Fields = {},
  ids: readonly number[] = [],
  client = workspace.live,
) {
  tried.add(operation);
  const [method = '', template = ''] = operation.split(' ');
  const path = ids.reduce<string>((filled, id) => filled.replace(/\{\w+\}/, String(id)), template);
  const entries = Object.entries({ ...(largest(bodies.get(operation) as Schema, '', letters) as Fields), ...fields });
  const given = Object.fromEntries(entries.filter(([, value]) => value !== undefined));
  remember(given);
  const options = { body: given, headers: { 'idempotency-key': randomUUID() } };
  const answer = await client.call(method, path, options);
  const { status, headers, body } = answer;
  if (status > 299) throw new Error(`${operation} answers ${status} ${JSON.stringify(body).slice(0, 1000)}`);
  if (operation.endsWith('/rotate')) secrets.push(body.secret);
  if (client === workspace.live) changes.push(headers['x-request-id'] as string);
  const repeated = await client.call(method, path, options);
  expect([operation, repeated.status]).toEqual([operation, status]);
  if (!('secret' in body || 'key' in body)) expect(repeated.body).toEqual(body);
  demandSame(operation, given, body);
  const collection = `${template}/{id}`;
  const read = reads.find(({ route }) => route.path === collection);
  if (method === 'POST' && read && typeof body.id === 'number') {
    made.set(collection, [...(made.get(collection) ?? []), body.id]);
    const found = await client.get(`${path}/${body.id}`);
    expect(found.status).toBe(200);
    demandSame(`GET ${collection}`, given, found.body);
  }
  return body;
}

/** What an answer shows of the fields that were given is what was given. */
function demandSame(operation: string, given: Fields, shown: Fields): void {
  for (const [field, value] of Object.entries(given))
    if (Object.hasOwn(shown, field) && !isSame(shown[field], value))
      throw new Error(`${operation}: ${field} is ${brief(shown[field])}, not ${brief(value)}`);
}

/** Values of an enum are taken in any case and shown in one; null for a time is now. */
const isSame = (shown: unknown, given: unknown) =>
  isDeepStrictEqual(shown, given) || (typeof shown === 'string' && shown.toLowerCase() === given);

const brief = (value: unknown) => {
  const text = JSON.stringify(value) ?? 'undefined';
  return text.length < 500 ? text : `${text.slice(0, 200)}…${text.slice(-200)} (${text.length})`;
};

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

const largestKinds = () =>
  (largest(bodies.get('POST /v1/webhooks') as Schema, '', everyLetters[0] as Letters) as { eventKinds: string[] })
    .eventKinds;

describe.each(everyLetters)('the largest input, of $name,', (letters) => {
  let contactId: number;
  let dealId: number;
  const place = () => ({ workspaceId: workspace.id, env: 'live' });

  test('is taken and read back: contacts', async () => {
    const { memberId } = workspace;
    const contact = await send('POST /v1/contacts', letters);
    contactId = contact.id;
    await send('PATCH /v1/contacts/{id}', letters, {}, [contactId]);
    const { metadata } = await send('PUT /v1/contacts/{id}/metadata', letters, {}, [contactId]);
    expect((await workspace.live.get(`/v1/contacts/${contactId}/metadata`)).body).toEqual({ metadata });
    await send('POST /v1/contacts/{id}/activities', letters, {}, [contactId]);
    await send('POST /v1/contacts/{id}/assignee', letters, { userId: memberId }, [contactId]);
    await send('POST /v1/contacts/{id}/lead-score', letters, {}, [contactId]);
    await send('POST /v1/contacts/{id}/stage', letters, {}, [contactId]);
    const tag = await send('POST /v1/tags', letters);
    await send('PATCH /v1/tags/{id}', letters, {}, [tag.id]);
    await send('POST /v1/contacts/{id}/tags', letters, { tagId: undefined }, [contactId]);
    await send('POST /v1/contacts/upsert', letters, { matchOn: 'email' });
    const other = await send('POST /v1/contacts', letters);
    await send('POST /v1/contacts/{id}/merge', letters, { sourceContactId: other.id }, [contactId]);
    made.set('/v1/contacts/{id}', made.get('/v1/contacts/{id}')?.filter((id) => id !== other.id) ?? []);
  });

  test('is taken and read back: deals, tasks and finance', async () => {
    const { memberId: assignedToUserId } = workspace;
    ({ id: dealId } = await send('POST /v1/deals', letters, { contactId }));
    await send('PATCH /v1/deals/{id}', letters, { contactId }, [dealId]);
    await send('PUT /v1/deals/{id}/metadata', letters, {}, [dealId]);
    await send('POST /v1/deals/{id}/stage', letters, { stage: 'negotiation' }, [dealId]);
    const { id: taskId } = await send('POST /v1/tasks', letters, { contactId, dealId, assignedToUserId });
    await send('PATCH /v1/tasks/{id}', letters, { contactId, dealId, assignedToUserId }, [taskId]);
    await send('PUT /v1/tasks/{id}/metadata', letters, {}, [taskId]);
    await send('POST /v1/tasks/{id}/status', letters, {}, [taskId]);
    await send('POST /v1/finance/transactions', letters, { contactId, dealId });
    const dates = { issueDate: '9999-12-30', dueDate: '9999-12-31' };
    const invoice = await admin('invoice', 'create', letters, { ...place(), ...dates, contactId, status: 'sent' });
    await send('POST /v1/finance/invoices/{id}/paid', letters, { paidAt: undefined }, [invoice.id]);
  });

  test('is taken and read back: batches', async () => {
    for (const [noun, long, fields] of [
      ['contacts', 'notes', {}],
      ['deals', 'notes', { contactId }],
      ['tasks', 'description', { contactId, dealId, assignedToUserId: workspace.memberId }],
    ] as const) {
      // As many as there may be, once: it takes its time.
      const count = letters === everyLetters[0] && noun === 'contacts' ? 100 : 3;
      const operation = `POST /v1/${noun}/batch`;
      const { properties } = bodies.get(operation) as Schema;
      const [create] = properties.items.items.anyOf as Schema[];
      const item = { ...(largest(create as Schema, '', letters) as Fields), ...fields };
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
    const url = `${receiver.url}/`.padEnd(2048, letters.name.replaceAll(' ', '-'));
    const eventKinds = largestKinds().filter((kind) => kind !== '*');
    const hook = await send('POST /v1/webhooks', letters, { url, eventKinds });
    await send('PATCH /v1/webhooks/{id}', letters, { url, isActive: true, eventKinds: ['webhook.test'] }, [hook.id]);
    await send('POST /v1/webhooks/{id}/rotate', letters, {}, [hook.id]);
    await send('POST /v1/webhooks/{id}/test', letters, {}, [hook.id]);
    await send('POST /v1/webhooks/{id}/replay-failed', letters, { since: shifted(new Date(), -29 * dayMs) }, [hook.id]);
  });

  test('is taken and read back: agents and sequences', async () => {
    const sandbox = { workspaceId: workspace.id, env: 'test' };
    const agent = await admin('agent', 'create', letters, { ...sandbox, status: 'active' });
    expect((await workspace.test.get(`/v1/agents/${agent.id}`)).status).toBe(200);
    const { body: asking } = await workspace.test.post('/v1/contacts', { name: letters.text(200) });
    await send('POST /v1/agents/{id}/test-run', letters, { contactId: asking.id }, [agent.id], workspace.test);
    const account = await newAccount({ workspaceId: workspace.id, env: 'live' });
    // Thirty of 4,000 characters, but no more than a row can keep together (lib/entities/sequence.ts).
    const length = Math.min(4_000, Math.floor(8_300 / Math.max(...[...letters.text(100, true)].map(bytesOf))));
    const steps = Array.from({ length: 30 }, () => ({ delayMinutes: 525_600, text: letters.text(length, true) }));
    const sequence = await admin('sequence', 'create', letters, {
      ...{ ...place(), channel: 'telegram', accountId: account.id, status: 'active' },
      steps: steps.map((step, index) => (index === 0 ? { ...step, delayMinutes: 0 } : step)),
    });
    const shown = (await workspace.live.get(`/v1/sequences/${sequence.id}`)).body;
    expect(brief(shown.steps.map(({ text }: Fields) => text))).toBe(brief(steps.map(({ text }) => text)));
    made.set('/v1/sequences/{id}', [sequence.id]);
    const from = { telegramUserId: 9_000_000_000_000_000 + everyLetters.indexOf(letters) };
    const stranger = await admin('message', 'receive', letters, {
      ...{ ...place(), channel: 'telegram', accountId: account.id, threadId: letters.text(200), sentAt: undefined },
      from: { ...from, username: `stranger_${everyLetters.indexOf(letters)}`, name: letters.text(200) },
    });
    await admin('sequence', 'enroll', letters, { ...place(), id: sequence.id, contactId: stranger.contactId });
    const sent = await eventually(async () => (await account.arrived()).stored.at(0), 'the first step');
    expect(brief(sent.text)).toBe(brief(steps[0]?.text));
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
      const inbound = await admin('message', 'receive', letters, {
        ...{ ...place(), channel, accountId: account.id, from, threadId: letters.text(200), sentAt: undefined },
      });
      const messages = `/v1/contacts/${inbound.contactId}/messages`;
      const [stored] = (await workspace.live.get(messages)).body.items;
      expect([brief(stored.body), stored.threadId]).toEqual([brief(letters.text(10_000, true)), letters.text(200)]);
      expect((await workspace.live.get(`/v1/contacts/${inbound.contactId}`)).body).toMatchObject({
        name: from.name,
        username: from.username,
      });
      const to = { accountId: account.id, contactId: inbound.contactId };
      const others = { username: undefined, telegramUserId: undefined, twitterUserId: undefined, runAt: undefined };
      const job = await send(`POST /v1/${channel}/messages`, letters, { ...to, ...others });
      expect(await ended(job.id)).toMatchObject({ status: 'sent', attempts: 1 });
      const text = letters.text(channel === 'telegram' ? 4_000 : 10_000, true);
      const arrived = (await account.arrived()).stored;
      expect(arrived.map((one) => brief(one.text))).toEqual([brief(text)]);
      const [sent] = (await workspace.live.get(messages, { direction: 'outbound' })).body.items;
      expect([sent.status, brief(sent.body)]).toEqual(['sent', brief(text)]);
    }
  });

  test('is taken and read back: mail', async () => {
    // What is kept of a mail is counted in UTF-16 (lib/email/mail.ts).
    const kept = (characters: number) => letters.text(Math.floor(characters / letters.units), true);
    const names = Array.from(
      { length: 100 },
      (_, index) => `${index} ${letters.text(Math.floor(190 / letters.units))}`,
    );
    const text = kept(100_000);
    const files = Array.from({ length: 100 }, (_, index) => `${index} ${letters.text(60)}`);
    const raw = mailOf(letters, names, files, text);
    const { threadId } = await admin('email', 'receive', letters, { ...place(), raw });
    const path = `/v1/email/threads/${threadId}`;
    made.set('/v1/email/threads/{id}', [...(made.get('/v1/email/threads/{id}') ?? []), threadId]);
    const { body: thread } = await workspace.live.get(path);
    const [message] = (await workspace.live.get(`${path}/messages`)).body.items;
    expect(brief(message.bodyText)).toBe(brief(text));
    expect(brief(thread.subject)).toBe(brief(letters.text(250)));
    expect(brief(message.attachments.map(({ fileName }: Fields) => fileName))).toBe(brief(files));
    await send('POST /v1/email/threads/{id}/assignee', letters, { userId: workspace.memberId }, [threadId]);
    await send('POST /v1/email/threads/{id}/status', letters, { status: 'pending' }, [threadId]);
    const replies = 'POST /v1/email/threads/{id}/replies';
    const html = `<p>${letters.text(200_000 - 7).replaceAll(/[<&"]/g, '.')}</p>`;
    const plain = { runAt: undefined, replyAll: false };
    for (const body of [{ bodyHtml: null }, { bodyText: letters.text(2_000, true), bodyHtml: html }]) {
      const job = await send(replies, letters, { ...plain, ...body }, [threadId]);
      expect(await ended(job.id)).toMatchObject({ status: 'sent', attempts: 1 });
      const [sent] = (await workspace.live.get(`${path}/messages`)).body.items;
      expect([sent.status, brief(sent.bodyHtml)]).toEqual(['sent', brief(body.bodyHtml)]);
      expect(brief(sent.bodyText)).toBe(brief(body.bodyText ?? letters.text(100_000, true)));
    }
  });
});

const ended = (jobId: number) =>
  eventually(async () => {
    const { body } = await workspace.live.get(`/v1/jobs/${jobId}`);
    return body.status !== 'queued' && body;
  }, `job ${jobId} to end`);

const encoded = (text: string) => `=?utf-8?B?${Buffer.from(text).toString('base64')}?=`;

/** A mail with as much of everything as is kept of one. */
function mailOf(letters: Letters, names: readonly string[], files: readonly string[], text: string): string {
  const mailboxes = names.map((name, index) => `${encoded(name)} <${addressOf(index)}>`);
  const part = (name: string, index: number) => [
    '--b',
    `Content-Type: text/plain; name="${encoded(name)}"`,
    'Content-Disposition: attachment',
    '',
    `${index}`,
  ];
  return [
    `From: ${encoded(letters.text(100))} <${addressOf(1000)}>`,
    `To: ${mailboxes.join(',\r\n ')}`,
    `Cc: ${mailboxes.slice(0, 20).join(',\r\n ')}`,
    `Subject: ${encoded(letters.text(250))}`,
    `Message-ID: <${randomUUID().padEnd(985, 'x')}@example.com>`,
    'Content-Type: multipart/mixed; boundary=b',
    ...['', '--b', 'Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: base64', ''],
    Buffer.from(text).toString('base64').replaceAll(/.{76}/g, '$&\r\n'),
    ...files.flatMap(part),
    '--b--',
  ].join('\r\n');
}

test('every operation with a body was tried', () => {
  expect([...bodies.keys()].filter((operation) => !tried.has(operation))).toEqual([]);
});

/** Whatever can be read, of everything that was made. */
function* everyPath(): Generator<string> {
  for (const { route } of reads) {
    if (!route.path.includes('{')) yield route.path;
    const [thing, rest = ''] = route.path.split(/(?<=\{id\})(.*)/);
    if (!rest.includes('{'))
      for (const id of made.get(thing as string) ?? []) yield `${thing?.replace('{id}', String(id))}${rest}`;
  }
}

/** Every page of what a path answers, in no more than the contract allows for one. */
async function everyPage(client: Client, path: string): Promise<unknown[]> {
  const pages: unknown[] = [];
  let after: Record<string, number> = {};
  for (;;) {
    const { status, body } = await client.get(path, { limit: 100, ...after });
    const size = bytes(body);
    if (status !== 200 || size > maxAnswerBytes)
      throw new Error(`GET ${path} answers ${status}, ${size} bytes, ${brief(body)}`);
    pages.push(body);
    if (!body.hasMore) return pages;
    after = path === '/v1/events' ? { since: body.items.at(-1).sequence } : { after: body.nextCursor };
  }
}

describe('what was made of it', () => {
  let events: Event[];

  test('can be read to its end, in answers below 5 MB', async () => {
    for (const path of everyPath()) await everyPage(workspace.live, path);
  });

  test('is in the feed, shortened only where the event says so', async () => {
    events = await feedOf(workspace.live);
    const wrong = events.flatMap(({ sequence, event, data, truncated = [] }) =>
      leaves(data, 'data').flatMap(([path, text]) => {
        const isCut = truncated.includes(path);
        if (bytesOf(text) > maxEventTextBytes) return [`${sequence} ${event}: ${path} has ${bytesOf(text)} bytes`];
        const isWhole = bytesOf(text) < 300 || givenTexts.has(text);
        const isBeginning = !isWhole && [...givenTexts].some((given) => given.startsWith(text));
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
      expect(secrets.some((secret) => isSigned(secret, text, headers as Record<string, string>))).toBe(true);
    }
    const longest = wanted.reduce((a, b) => (bytes(a) > bytes(b) ? a : b));
    const deliveries = await everyItem(workspace.live, `/v1/webhooks/${hookId}/deliveries`, { limit: 100 });
    expect(deliveries.filter(({ status }) => status !== 'succeeded')).toEqual([]);
    const { deliveryId } = deliveries.find(({ eventId }) => eventId === longest.id);
    const path = `/v1/webhooks/${hookId}/deliveries/${deliveryId}`;
    expect((await workspace.live.get(path)).status).toBe(200);
    expect((await workspace.live.post(`${path}/replay`, {})).status).toBe(202);
    const again = await eventually(async () => {
      const same = receiver.received.filter(({ body }) => body.id === longest.id);
      return same.length > 1 && same;
    }, 'the replay');
    expect(again.at(-1)?.text).toBe(again[0]?.text);
  });

  test('is in the audit', async () => {
    await eventually(async () => {
      const entries = await everyItem(workspace.live, '/v1/audit-events', { limit: 100 });
      const audited = new Set(entries.map(({ requestId }) => requestId));
      return changes.every((requestId) => audited.has(requestId));
    }, 'every change to be audited');
  });

  test('is told to a model', async () => {
    const { value } = mcp(workspace.liveKey);
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
    const folder = await mkdtemp(join(tmpdir(), 'crm-largest-'));
    const file = join(folder, 'workspace.ndjson');
    const { id } = await createWorkspace({ name: 'Moved', currency: 'EUR' });
    await exportWorkspace(workspace.id, file);
    await importWorkspace(id, file);
    await rm(folder, { recursive: true });
    const moved = await clientOf(id);
    // What counts up to now by itself is asked for one range, or a second passes between the two answers.
    const [yearAgo, now] = [-364, 0].map((days) => shifted(new Date(), days * dayMs));
    for (const whole of everyPath()) {
      if (differs.test(whole)) continue;
      const path = whole === '/v1/finance/summary' ? `${whole}?from=${yearAgo}&to=${now}` : whole;
      const [theirs, ours] = [await everyPage(workspace.live, path), await everyPage(moved, path)];
      if (!isDeepStrictEqual(theirs, ours)) throw new Error(`${path} shows ${brief(ours)} instead of ${brief(theirs)}`);
    }
  });
});

/** Who asks, what is disconnected and switched off by the move, and what it adds. */
const differs =
  /^\/v1\/(me|keys|webhooks|events|audit-events|analytics|telegram\/accounts|twitter\/accounts|finance\/revenue-sources|members)/;

interface Event {
  id: string;
  sequence: number;
  event: string;
  data: Fields;
  truncated?: string[];
}

async function feedOf(client: Client): Promise<Event[]> {
  const pages = (await everyPage(client, '/v1/events')) as { items: Event[] }[];
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

async function clientOf(workspaceId: number): Promise<Client> {
  const terms = { name: 'moved', scopes, ipAllowlist: [], expiresAt: null };
  const limits = { createdByKeyId: null, rateLimitPerMinute: 1_000_000 };
  return api((await transact({ workspaceId, env: 'live' }, operator, (tx) => mintKey(tx, terms, limits))).key);
}
