import type { PacePolicy } from '#lib/core/channel-descriptor.ts';
import { minuteMs } from '#lib/core/clock.ts';
import { maxPeers, maxSends, type Pace } from '#lib/entities/sender.ts';

/** The pace as this process may go on with it: what a sender sent whose clock was ahead of ours was sent now, and not in an hour. */
export const notAhead = ({ peers, sends }: Pace, now: number): Pace => ({
  peers: Object.fromEntries(Object.entries(peers).map(([peer, at]) => [peer, Math.min(at, now)])),
  sends: sends.map((at) => Math.min(at, now)),
});

/** How many messages may leave within how long. */
const windowsOf = ({ perMinute, per15Minutes }: PacePolicy) =>
  [
    { most: perMinute, ms: minuteMs },
    { most: per15Minutes, ms: 15 * minuteMs },
  ].flatMap(({ most, ms }) => (most === undefined ? [] : [{ most: Math.min(most, maxSends), ms }]));

/** When a window has room for one more. */
function freeAt(sends: readonly number[], { most, ms }: { most: number; ms: number }, now: number): number {
  const recent = sends.filter((at) => at > now - ms);
  return recent.length < most ? 0 : (recent.at(-most) as number) + ms;
}

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
  const free = Math.max(
    (peers[peer] ?? Number.NEGATIVE_INFINITY) + policy.peerGapMs,
    (sends.at(-1) ?? Number.NEGATIVE_INFINITY) + policy.gapMs,
    ...windowsOf(policy).map((window) => freeAt(sends, window, now)),
    roomAt(policy, pace, peer, now),
  );
  return Math.max(0, free - now);
}

/** The pace after a message to this recipient; what no longer matters is dropped. */
export function paced(policy: PacePolicy, pace: Pace, peer: string, now: number): Pace {
  const windows = windowsOf(policy);
  const longestMs = Math.max(minuteMs, ...windows.map(({ ms }) => ms));
  const recent = pace.sends.filter((at) => at > now - longestMs);
  return {
    peers: { ...Object.fromEntries(recentPeers(policy, pace, now)), [peer]: now },
    sends: [...recent, now].slice(-Math.max(1, ...windows.map(({ most }) => most))),
  };
}
