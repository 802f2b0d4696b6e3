import * as v from 'valibot';
import type { Descriptor } from './channel-descriptor.ts';

/** The ids that a person has, one on a channel, by the channel's name; also on channels that only a later release knows. */
export const Identities = v.record(v.string(), v.union([v.number(), v.string()]));
export type Identities = v.InferOutput<typeof Identities>;

/** The id on a channel, as its sender takes it. */
export function idOn<One extends Descriptor>(
  { name, identity }: One,
  identities: Identities,
): v.InferOutput<One['identity']['stored']> | undefined {
  const id = v.safeParse(identity.stored, identities[name]);
  return id.success ? id.output : undefined;
}
