import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';

const prefix = `evt_${'0'.repeat(32)}`;

/** What the page has asked for, and what it is given. */
const asked: string[] = [];
const items: object[] = [];
const window = new EventTarget();
const document = { hidden: false };

const storage = () => {
  const kept = new Map<string, string>();
  return {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
    removeItem: (name: string) => kept.delete(name),
  };
};

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
  vi.stubGlobal('localStorage', storage());
  vi.stubGlobal('sessionStorage', storage());
  vi.stubGlobal('document', document);
  vi.stubGlobal('location', { origin: 'http://127.0.0.1', hash: '' });
  vi.stubGlobal('addEventListener', window.addEventListener.bind(window));
  vi.stubGlobal('fetch', async ({ url }: Request) => {
    asked.push(url.replace('http://127.0.0.1', ''));
    const page = { items: items.splice(0), nextCursor: 7, hasMore: false };
    return Response.json(page, { headers: { 'X-Events': prefix } });
  });
  const { current, workspaceId } = await import('#panel/app/session.ts');
  const { followEvents } = await import('#panel/app/live.ts');
  followEvents();
  workspaceId.value = 1;
  current.value = { workspace: { id: 1 }, environment: 'live', scopes: ['webhooks:read'] } as never;
  await vi.advanceTimersByTimeAsync(0);
});
afterAll(async () => {
  const { current } = await import('#panel/app/session.ts');
  current.value = undefined;
  vi.useRealTimers();
  vi.unstubAllGlobals();
});
beforeEach(() => {
  document.hidden = false;
});

const minuteMs = 60_000;
const callsIn = async (ms: number) => {
  asked.length = 0;
  await vi.advanceTimersByTimeAsync(ms);
  return asked.length;
};
const press = () => window.dispatchEvent(new Event('keydown'));

test('a tab finds the end of the feed in one call', () => {
  expect(asked).toEqual(['/v1/events?since=latest&limit=100']);
});

test('a tab asks 30 times in a minute of work, 6 after it, and 2 after ten', async () => {
  press();
  expect(await callsIn(minuteMs)).toBeLessThanOrEqual(30);
  await callsIn(minuteMs);
  expect(await callsIn(minuteMs)).toBeLessThanOrEqual(6);
  await callsIn(8 * minuteMs);
  expect(await callsIn(minuteMs)).toBeLessThanOrEqual(2);
  expect(await callsIn(10 * minuteMs)).toBe(20);
});

test.each(['keydown', 'pointerdown', 'focus'])('a tab that has rested asks at once after %s', async (kind) => {
  await callsIn(12 * minuteMs);
  asked.length = 0;
  window.dispatchEvent(new Event(kind));
  expect(await callsIn(10)).toBe(1);
  expect(await callsIn(minuteMs)).toBeGreaterThanOrEqual(28);
});

test('a tab that nobody sees asks for nothing', async () => {
  press();
  document.hidden = true;
  await callsIn(minuteMs);
  expect(await callsIn(minuteMs)).toBe(0);
  document.hidden = false;
  window.dispatchEvent(new Event('visibilitychange'));
  expect(await callsIn(10)).toBe(1);
});

test('an event of a change counts as known to what was read after its answer', async () => {
  const { isOfOwnChange, noteChange } = await import('#panel/app/own-changes.ts');
  const before = performance.now();
  await vi.advanceTimersByTimeAsync(5);
  noteChange(new Response(null, { headers: { 'X-Events': prefix } }));
  await vi.advanceTimersByTimeAsync(5);
  const after = performance.now();
  const event = { id: `${prefix}12` };
  expect([isOfOwnChange(event, before), isOfOwnChange(event, after)]).toEqual([false, true]);
  expect(isOfOwnChange({ id: `evt_${'1'.repeat(32)}0` }, after)).toBe(false);
});

test.each([
  ['message.created', { contact_id: '7' }, true],
  ['message.created', { contact_id: '8' }, false],
  ['message.created', { contact_id: null }, false],
  ['job.completed', {}, true],
  ['deal.created', { contact_id: '7' }, false],
])('%s of %j touches the conversation of contact 7: %s', async (event, data, isTouched) => {
  const { touchingContact } = await import('#panel/app/live.ts');
  expect(touchingContact(7, 'message', 'job')({ event, data } as never)).toBe(isTouched);
});
