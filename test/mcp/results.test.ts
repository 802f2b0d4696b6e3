import { beforeAll, describe, expect, test } from 'vitest';
import { resultOf, withFields } from '#lib/mcp/result.ts';
import { mcp } from '#test/mcp/client.ts';
import { newWorkspace, type TestWorkspace } from '#test/workspace.ts';

const tokensOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value)) / 4;
const maxTokens = 10_000;

describe('a result', () => {
  test('is unchanged when it fits', () => {
    const value = { items: [{ id: 1, name: 'A' }], nextCursor: null, hasMore: false };
    expect(resultOf(value)).toEqual({
      content: [{ type: 'text', text: JSON.stringify(value) }],
      structuredContent: value,
    });
  });

  test('keeps its first rows and a cursor to the rest when it is too long', () => {
    const items = Array.from({ length: 100 }, (_, index) => ({ id: 1000 - index, notes: '"é'.repeat(200) }));
    const result = resultOf({ items, nextCursor: 901, hasMore: true });
    const {
      items: kept,
      nextCursor,
      hasMore,
      truncated,
    } = result.structuredContent as never as {
      items: { id: number }[];
      nextCursor: number;
      hasMore: boolean;
      truncated: string;
    };
    expect(tokensOf(result)).toBeLessThanOrEqual(maxTokens);
    expect(kept).toEqual(items.slice(0, kept.length));
    expect(kept.length).toBeGreaterThan(10);
    expect([nextCursor, hasMore]).toEqual([kept.at(-1)?.id, true]);
    expect(truncated).toMatch(/nextCursor/);
  });

  test('whose texts are too long says how much of them is missing', () => {
    const result = resultOf({ id: 1, notes: 'a'.repeat(10_000), other: '\n'.repeat(30_000) });
    expect(tokensOf(result)).toBeLessThanOrEqual(maxTokens);
    expect(result.structuredContent['notes']).toBe(`${'a'.repeat(4000)}… [6000 more characters]`);
  });

  test('never splits a character and fits with any contents', () => {
    const items = Array.from({ length: 3 }, (_, id) => ({
      id,
      text: '👍'.repeat(50_000),
      tags: Array(500).fill('👍👍👍'),
    }));
    const result = resultOf({ items, nextCursor: null, hasMore: false }, true);
    expect(tokensOf(result)).toBeLessThanOrEqual(maxTokens);
    expect(JSON.stringify(result).isWellFormed()).toBe(true);
    expect(result.isError).toBe(true);
  });

  test('with the largest metadata fits, none of its keys missing', () => {
    const names = Array.from({ length: 50 }, (_, index) => `${'k'.repeat(62)}${index + 10}`);
    const metadata = Object.fromEntries(names.map((name) => [name, '👍'.repeat(500)]));
    const tags = Array.from({ length: 100 }, (_, id) => ({ id, name: '👍'.repeat(50) }));
    const result = resultOf({ id: 1, name: '👍'.repeat(200), notes: '👍'.repeat(10_000), tags, metadata });
    expect(tokensOf(result)).toBeLessThanOrEqual(maxTokens);
    expect(Object.keys(result.structuredContent['metadata'] as object)).toEqual(names);
  });

  test('continues by sequence when it is the event feed', () => {
    const items = Array.from({ length: 50 }, (_, index) => ({
      id: `e${index}`,
      sequence: index + 1,
      data: 'x'.repeat(900),
    }));
    const { items: kept, nextCursor } = resultOf({ items, nextCursor: 50, hasMore: false })
      .structuredContent as never as {
      items: unknown[];
      nextCursor: number;
    };
    expect(nextCursor).toBe(kept.length);
  });

  test('with fields has those and the id only', () => {
    const page = { items: [{ id: 1, name: 'A', notes: 'x' }], nextCursor: null, hasMore: false };
    expect(withFields(page, ['name', 'stage'], ['stage'])).toEqual({ ...page, items: [{ id: 1, name: 'A' }] });
    expect(withFields({ id: 1, name: 'A', notes: 'x' }, ['notes'], [])).toEqual({ id: 1, notes: 'x' });
    expect(withFields(page, [], [])).toEqual(page);
  });

  test('keeps the sequence of events, by which a shortened list continues', () => {
    const items = Array.from({ length: 50 }, (_, index) => ({
      id: `evt_${index}`,
      sequence: index + 1,
      data: 'a'.repeat(3_000),
    }));
    const { structuredContent } = resultOf(withFields({ items, nextCursor: 50, hasMore: false }, ['data'], []));
    const { items: kept, nextCursor } = structuredContent as { items: { sequence: number }[]; nextCursor: number };
    expect(kept.length).toBeLessThan(50);
    expect(nextCursor).toBe(kept.at(-1)?.sequence);
  });
});

describe('from a workspace full of long texts', () => {
  let workspace: TestWorkspace;
  let contactId: number;
  let newestFirst: number[];
  const count = 40;
  beforeAll(async () => {
    workspace = await newWorkspace();
    const items = Array.from({ length: count }, (_, index) => ({
      op: 'create',
      name: `N${index}`,
      notes: 'ü'.repeat(9000),
      company: '漢'.repeat(200),
    }));
    const { body } = await workspace.live.post('/v1/contacts/batch', { items });
    const ids: number[] = body.results.map(({ contact }: { contact: { id: number } }) => contact.id);
    newestFirst = ids.toSorted((one, other) => other - one);
    [contactId] = ids as [number];
    for (let note = 0; note < 12; note += 1)
      await workspace.live.post(`/v1/contacts/${contactId}/activities`, { text: '漢'.repeat(9000) });
  });

  test('no result is over 10,000 tokens and the cursor still leads to every row', async () => {
    const { modern } = mcp(workspace.liveKey);
    const seen: number[] = [];
    let after: number | null = null;
    do {
      const args: Record<string, unknown> = { limit: 100, ...(after === null ? {} : { after }) };
      const { body } = await modern('tools/call', { name: 'contacts_search', arguments: args });
      expect(tokensOf(body.result)).toBeLessThanOrEqual(maxTokens);
      seen.push(...body.result.structuredContent.items.map(({ id }: { id: number }) => id));
      after = body.result.structuredContent.nextCursor;
    } while (after !== null);
    expect(seen).toEqual(newestFirst);
    const whole = await modern('tools/call', { name: 'contacts_get', arguments: { id: contactId, limit: 100 } });
    expect(tokensOf(whole.body.result)).toBeLessThanOrEqual(maxTokens);
    expect(whole.body.result.structuredContent).toMatchObject({ id: contactId, truncated: expect.any(String) });
    const { value } = mcp(workspace.liveKey);
    const brief = await value('contacts_search', { limit: 100, fields: 'name' });
    expect(brief.items).toHaveLength(count);
    expect(brief.truncated).toBeUndefined();
  });
});
