import { createHash } from 'node:crypto';
import type { Caller } from '#lib/keys/caller.ts';
import type { Progress } from './progress.ts';

/** Who called last with the same key or session, to the same workspace and from the same address, by a digest of these. */
const met = new Map<string, Caller>();
const maxMet = 1000;

function placeOf({ headers, facts }: Progress): string {
  const said = [headers['authorization'], headers['x-environment'], headers['x-workspace'], facts.ip];
  return createHash('sha256').update(JSON.stringify(said)).digest('base64');
}

/** The caller as this process has met them last; who was refused since is nobody. It says nothing about what they may do now. */
export const lastMet = (progress: Progress): Caller | undefined => met.get(placeOf(progress));

export function meet(progress: Progress, caller: Caller): void {
  if (met.size >= maxMet) met.clear();
  met.set(placeOf(progress), caller);
}

export const forget = (progress: Progress): void => void met.delete(placeOf(progress));
