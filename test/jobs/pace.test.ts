import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PacePolicy } from '#lib/core/channel-descriptor.ts';
import { paced, waitMs } from '#lib/messages/jobs/pace.ts';

/** The times at which messages leave when each goes as early as the pace allows; sending takes a moment itself. */
function send(policy: PacePolicy, peers: readonly string[], tookMs: number): number[] {
  let now = 1_000_000;
  let pace = { peers: {}, sends: [] } as Parameters<typeof waitMs>[1];
  return peers.map((peer) => {
    now += waitMs(policy, pace, peer, now);
    const at = now;
    pace = paced(policy, pace, peer, now);
    now += tookMs;
    return at;
  });
}

const peers = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 120 });
const took = fc.integer({ min: 0, max: 300 });

test('the pace never lets more than its number of messages into any 15 minutes', () => {
  fc.assert(
    fc.property(peers, took, (to, tookMs) => {
      const times = send({ peerGapMs: 1000, gapMs: 200, per15Minutes: 15 }, to, tookMs);
      for (const start of times)
        expect(times.filter((at) => at >= start && at < start + 900_000).length).toBeLessThanOrEqual(15);
    }),
  );
});

test('the pace never lets more than its number of messages into any minute', () => {
  fc.assert(
    fc.property(peers, took, (to, tookMs) => {
      const times = send({ peerGapMs: 1200, gapMs: 0, perMinute: 20 }, to, tookMs);
      for (const start of times)
        expect(times.filter((at) => at >= start && at < start + 60_000).length).toBeLessThanOrEqual(20);
    }),
  );
});

test('the pace keeps its distance between messages to one recipient, and between any two', () => {
  fc.assert(
    fc.property(peers, took, (to, tookMs) => {
      const times = send({ peerGapMs: 1000, gapMs: 40 }, to, tookMs);
      for (const [index, at] of times.entries()) {
        const earlier = times.slice(0, index);
        expect(earlier.every((before) => at - before >= 40)).toBe(true);
        expect(earlier.every((before, other) => to[other] !== to[index] || at - before >= 1000)).toBe(true);
      }
    }),
  );
});

test('the row of a sender stays small and keeps the gap between messages to one recipient', () => {
  const policy = { peerGapMs: 3_600_000, gapMs: 0, perMinute: 100_000 };
  const last = new Map<string, number>();
  let now = 1_000_000;
  let pace = { peers: {}, sends: [] } as Parameters<typeof waitMs>[1];
  for (let index = 0; index < 3000; index += 1) {
    const peer = String(index % 1100);
    now += waitMs(policy, pace, peer, now);
    expect(now - (last.get(peer) ?? 0)).toBeGreaterThanOrEqual(last.has(peer) ? policy.peerGapMs : 0);
    last.set(peer, now);
    pace = paced(policy, pace, peer, now);
    expect(JSON.stringify(pace).length).toBeLessThan(25_000);
    now += 20;
  }
});

test('the next message drops the sends of more than a minute ago from the sender’s row', () => {
  const policy = { peerGapMs: 1000, gapMs: 0, perMinute: 100_000 };
  const sends = Array.from({ length: 15_000 }, (_, index) => index);
  expect(paced(policy, { peers: { a: 0 }, sends }, 'b', 10_000_000)).toEqual({
    peers: { b: 10_000_000 },
    sends: [10_000_000],
  });
});

test('the pace lets the first message go at once and remembers nobody for longer than it matters', () => {
  const policy = { peerGapMs: 1000, gapMs: 40 };
  expect(waitMs(policy, { peers: {}, sends: [] }, 'a', 5000)).toBe(0);
  const first = paced(policy, { peers: {}, sends: [] }, 'a', 5000);
  expect(paced(policy, first, 'b', 7000)).toEqual({ peers: { b: 7000 }, sends: [7000] });
});
