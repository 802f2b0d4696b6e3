import type { Sender } from '#lib/jobs/sender.ts';

/** A user account writes by MTProto, which this deployment does not speak. */
export const absentUser: Sender = {
  policy: { peerGapMs: 1200, gapMs: 0, perMinute: 20 },
  isRepeatable: true,
  send: async () => ({ kind: 'failed', error: 'this deployment has no MTProto sender: use an account of kind bot' }),
  close: async () => {},
};
