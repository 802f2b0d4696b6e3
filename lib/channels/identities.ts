import * as v from 'valibot';
import { integer, storedRecord, storedUnion } from '../schema.ts';
import type { Descriptor } from './descriptor.ts';

/** What a platform calls a person. It is part of keys, which cannot be empty, nor hold half a character. */
const platformUserId = v.pipe(v.string(), v.regex(/^[^\s\p{Surrogate}]{1,100}$/u));
export const PlatformUserId = storedUnion(v.string(), platformUserId);

/** The ids that a person has, one on a channel, by the channel's name; also on channels that only a later release knows. */
export const Identities = storedRecord(
  storedUnion(v.union([v.number(), v.string()]), v.union([integer(1, Number.MAX_SAFE_INTEGER), platformUserId])),
  20,
  v.pipe(v.string(), v.regex(/^[\w-]{1,100}$/)),
);
/** `telegram/4711`, `telegram/@anna`. */
export const SenderName = storedUnion(
  v.string(),
  v.pipe(v.string(), v.regex(/^[\w-]{1,100}\/[^\s\p{Surrogate}]{1,100}$/u)),
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
