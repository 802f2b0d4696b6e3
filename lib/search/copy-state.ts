import type { StoredCopy } from '#lib/entities/copy.ts';

/** Whether a renewal is under way, or was killed so recently that it may be. */
export const isUnderWay = ({ next, renewAt }: StoredCopy, now: string): boolean =>
  next !== null && renewAt !== null && renewAt > now;
