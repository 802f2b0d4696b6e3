import * as v from 'valibot';
import { integer, storedRecord, storedUnion } from '../schema.ts';
import type { Descriptor } from './descriptor.ts';

/** What a platform calls a person. It is part of keys, which cannot be empty. */
const platformUserId = v.pipe(v.string(), v.regex(/^\S{1,100}$/));
export const PlatformUserId = storedUnion(v.string(), platformUserId);

/** The ids that a person has, one on a channel, by the channel's name; also on channels that only a later release knows. */
export const Identities = storedRecord(
  storedUnion(v.union([v.number(), v.string()]), v.union([integer(1, Number.MAX_SAFE_INTEGER), platformUserId])),
  20,
);
export type Identities = v.InferOutput<typeof Identities>;

/** The id on a channel, as its sender takes it. */
export function idOn<One extends Descriptor>(
  { name, identity }: One,
  identities: Identities,
): v.InferOutput<One['identity']['stored']> | undefined {
  const id = v.safeParse(identity.stored, identities[name]);
  return id.success ? id.output : undefined;
}
