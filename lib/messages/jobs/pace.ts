import type { PacePolicy } from '#lib/core/channel-descriptor.ts';
import { minuteMs } from '#lib/core/clock.ts';
import { maxPeers, maxSends, type Pace } from '#lib/entities/sender.ts';

/** The pace as this process may go on with it: what a sender sent whose clock was ahead of ours was sent now, and not in an hour. */
export const notAhead = ({ peers, sends }: Pace, now: number): Pace => ({
  peers: Object.fromEntries(Object.entries(peers).map(([peer, at]) => [peer, Math.min(at, now)])),
  sends: sends.map((at) => Math.min(at, now)),
});

const perMinuteOf = ({ perMinute }: PacePolicy) => perMinute && Math.min(perMinute, maxSends);

/** The recipients to whom the distance still matters. */
const recentPeers = ({ peerGapMs }: PacePolicy, { peers }: Pace, now: number) =>
  Object.entries(peers).filter(([, at]) => at > now - peerGapMs);

/** When there is room for one more recipient. */
function roomAt(policy: PacePolicy, pace: Pace, peer: string, now: number): number {
  const recent = recentPeers(policy, pace, now);
  if (recent.length < maxPeers || recent.some(([name]) => name === peer)) return 0;
  const times = recent.map(([, at]) => at).toSorted((a, b) => a - b);
  return (times.at(-maxPeers) as number) + policy.peerGapMs;
}

/** How long to wait before a message to this recipient may leave. */
export function waitMs(policy: PacePolicy, pace: Pace, peer: string, now: number): number {
  const { peers, sends } = pace;
  const perMinute = perMinuteOf(policy);
  const lastMinute = sends.filter((at) => at > now - minuteMs);
  const isFull = perMinute !== undefined && lastMinute.length >= perMinute;
  const free = Math.max(
    (peers[peer] ?? Number.NEGATIVE_INFINITY) + policy.peerGapMs,
    (sends.at(-1) ?? Number.NEGATIVE_INFINITY) + policy.gapMs,
    isFull ? (lastMinute.at(-perMinute) as number) + minuteMs : 0,
    roomAt(policy, pace, peer, now),
  );
  return Math.max(0, free - now);
}

/** The pace after a message to this recipient; what no longer matters is dropped. */
export function paced(policy: PacePolicy, pace: Pace, peer: string, now: number): Pace {
  const lastMinute = pace.sends.filter((at) => at > now - minuteMs);
  return {
    peers: { ...Object.fromEntries(recentPeers(policy, pace, now)), [peer]: now },
    sends: [...lastMinute, now].slice(-(perMinuteOf(policy) ?? 1)),
  };
}
