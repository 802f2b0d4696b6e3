import { beforeAll, describe, expect, test } from 'vitest';
import { mintKey } from '#lib/auth/key-store.ts';
import { createContact } from '#lib/contacts/create.ts';
import { operator, type Tenant } from '#lib/core/tenant.ts';
import { Feed } from '#lib/entities/feed-event.ts';
import { answerText } from '#lib/http/answer-text.ts';
import { storeMessage } from '#lib/messages/store.ts';
import { transact } from '#lib/table/transact.ts';
import type { UnitOfWork } from '#lib/table/unit-of-work.ts';
import { createWorkspace } from '#lib/workspaces/create.ts';
import { api, type Client, eventually } from '#test/client.ts';

const maxAnswerBytes = 5_000_000;
/** Three bytes each. */
const text = '\u4e2d'.repeat(96_000);

let tenant: Tenant;
let client: Client;
const run = <Result>(work: (tx: UnitOfWork) => Promise<Result>) => transact(tenant, operator, work);

beforeAll(async () => {
  tenant = { workspaceId: (await createWorkspace({ name: 'Large', currency: 'EUR' })).id, env: 'live' };
  const terms = { name: 'all', scopes: ['contacts:read', 'email:read', 'webhooks:read'] as const };
  const limits = { createdByKeyId: null, rateLimitPerMinute: 1_000_000 };
  const { key } = await run((tx) =>
    mintKey(tx, { ...terms, scopes: [...terms.scopes], ipAllowlist: [], expiresAt: null }, limits),
  );
  client = api(key);
});

type Item = { id: number; sequence?: number };

/** Every item of a list, and how many each page had; no page is larger than an answer may be. */
async function everyPage(path: string, query: Record<string, string | number>, cursor: 'after' | 'since') {
  const items: Item[] = [];
  const sizes: number[] = [];
  for (let from: number | undefined; ; ) {
    const { status, body } = await client.get(path, { ...query, ...(from !== undefined && { [cursor]: from }) });
    expect(status).toBe(200);
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(maxAnswerBytes);
    items.push(...body.items);
    sizes.push(body.items.length);
    if (!body.hasMore) return { items, sizes };
    expect(body.nextCursor).not.toBe(from);
    from = body.nextCursor;
  }
}

test('30 messages of 96,000 Chinese characters are passed page by page', async () => {
  const { id: contactId } = await run((tx) => createContact(tx, { platform: 'telegram', name: 'Li' }));
  const message = { contactId, channel: 'email', direction: 'outbound', status: 'queued', body: text } as const;
  await Promise.all(Array.from({ length: 30 }, () => run((tx) => storeMessage(tx, message))));
  const { items, sizes } = await everyPage(`/v1/contacts/${contactId}/messages`, { limit: 100 }, 'after');
  expect(items.map(({ id }) => id)).toEqual([...new Set(items.map(({ id }) => id))].sort((a, b) => b - a));
  // 288 KB each: as many as fit, no fewer.
  expect(sizes).toEqual([17, 13]);
});

describe('a feed of 10 MB', () => {
  const count = 40;
  let first: number;

  beforeAll(async () => {
    const feed = await eventually(async () => {
      const { items } = (await client.get('/v1/events', { limit: 100 })).body;
      return items.length > 0 && items;
    }, 'the first events');
    first = feed.at(-1).sequence + 1;
    const timestamp = new Date().toISOString();
    const rows = Array.from({ length: count + 1 }, (_, index) => {
      const sequence = first + index;
      const event = index === count ? 'deal.created' : 'contact.created';
      const own = { event, id: `evt_${index}`, timestamp: `${timestamp.slice(0, 19)}Z`, sequence };
      const data = { text: index === count ? '' : text.slice(0, 83_000) };
      const body = JSON.stringify({ ...own, livemode: true, data });
      return { ...own, timestamp, subject: 'x', committedAt: timestamp, body };
    });
    await Promise.all(
      rows.map((row) =>
        run(async (tx) => {
          tx.create(Feed, row);
        }),
      ),
    );
  });

  test('is passed page by page', async () => {
    const { items, sizes } = await everyPage('/v1/events', { limit: 100, since: first - 1 }, 'since');
    expect(items.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: count + 1 }, (_, index) => first + index),
    );
    expect(sizes).toEqual([20, 21]);
  });

  test('is not read as a whole for a rare event', async () => {
    const { items, sizes } = await everyPage('/v1/events', { eventKind: 'deal.created', since: first - 1 }, 'since');
    expect(items.map(({ sequence }) => sequence)).toEqual([first + count]);
    expect(sizes).toEqual([0, 1]);
  });
});

describe('the text of an answer', () => {
  /** As Lambda counts a response: the text is JSON once more. */
  const payloadOf = (answer: string) =>
    Buffer.byteLength(JSON.stringify({ statusCode: 200, headers: {}, body: answer }));
  const page = (texts: readonly string[]) => ({
    items: texts.map((body, index) => ({ id: texts.length - index, body })),
    nextCursor: null,
    hasMore: false,
  });

  test.each([
    ['quotation marks', '"'],
    ['backslashes', '\\'],
    ['line feeds', '\n'],
    ['emoji', '\u{1f600}'],
  ])('fits a response for a page of %s', (_, character) => {
    const answer = answerText(page(Array.from({ length: 100 }, () => character.repeat(50_000))));
    const { items, nextCursor, hasMore } = JSON.parse(answer);
    expect(payloadOf(answer)).toBeLessThan(6_291_556);
    expect(Buffer.byteLength(answer)).toBeLessThanOrEqual(maxAnswerBytes);
    expect(items.length).toBeGreaterThan(20);
    expect({ nextCursor, hasMore }).toEqual({ nextCursor: items.at(-1).id, hasMore: true });
  });

  test('is whole for a page that just fits', () => {
    const whole = page(Array.from({ length: 100 }, () => 'a'.repeat(49_960)));
    expect(JSON.parse(answerText(whole))).toEqual(whole);
  });

  test('has only ids for the resources of a batch that do not fit', () => {
    const error = { error: 'not_found', message: 'no such contact', details: null };
    const results = Array.from({ length: 100 }, (_, index) => ({
      index,
      status: index === 50 ? 404 : 200,
      contact: index === 50 ? null : { id: 1000 + index, notes: '"'.repeat(40_000) },
      error: index === 50 ? error : null,
    }));
    const answer = answerText({ results, succeeded: 99, failed: 1 });
    expect(payloadOf(answer)).toBeLessThan(6_291_556);
    const shown = JSON.parse(answer);
    const whole = shown.results.filter(({ contact }: { contact: unknown }) => contact !== null).length;
    expect(whole).toBeGreaterThan(30);
    expect(shown).toEqual({
      results: results.map((result, index) =>
        index < whole || index === 50 ? result : { ...result, contact: null, id: 1000 + index },
      ),
      succeeded: 99,
      failed: 1,
    });
    const fitting = { results: results.slice(0, 30), succeeded: 30, failed: 0 };
    expect(JSON.parse(answerText(fitting))).toEqual(fitting);
  });

  test('is refused for one item larger than Lambda allows', () => {
    expect(() => answerText({ id: 1, body: 'a'.repeat(6_500_000) })).toThrow('too large');
  });
});
