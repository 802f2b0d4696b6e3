import type { PacePolicy } from '#lib/channels/descriptor.ts';
import { minuteMs } from '#lib/clock.ts';
import type { Pace } from '#lib/entities/sender.ts';

/** The pace as this process may go on with it: what a sender sent whose clock was ahead of ours was sent now, and not in an hour. */
export const notAhead = ({ peers, sends }: Pace, now: number): Pace => ({
  peers: Object.fromEntries(Object.entries(peers).map(([peer, at]) => [peer, Math.min(at, now)])),
  sends: sends.map((at) => Math.min(at, now)),
});

/** How long to wait before a message to this recipient may leave. */
export function waitMs(policy: PacePolicy, { peers, sends }: Pace, peer: string, now: number): number {
  const lastMinute = sends.filter((at) => at > now - minuteMs);
  const isFull = policy.perMinute !== undefined && lastMinute.length >= policy.perMinute;
  const free = Math.max(
    (peers[peer] ?? Number.NEGATIVE_INFINITY) + policy.peerGapMs,
    (sends.at(-1) ?? Number.NEGATIVE_INFINITY) + policy.gapMs,
    isFull ? (lastMinute.at(-(policy.perMinute as number)) as number) + minuteMs : 0,
  );
  return Math.max(0, free - now);
}

/** The pace after a message to this recipient; what no longer matters is dropped. */
export function paced(policy: PacePolicy, { peers, sends }: Pace, peer: string, now: number): Pace {
  const recent = Object.entries(peers).filter(([, at]) => at > now - policy.peerGapMs);
  const kept = sends.slice(-(policy.perMinute ?? 1));
  return {
    peers: { ...Object.fromEntries(recent), [peer]: now },
    sends: [...kept, now].slice(-(policy.perMinute ?? 1)),
  };
}
