import * as v from 'valibot';
import type { Descriptor } from './channel-descriptor.ts';
import { descriptors } from './channels.ts';

export type Descriptors = (typeof descriptors)[keyof typeof descriptors];

export const messaging: { readonly [One in Descriptors as One['name']]: One } = descriptors;

/** A messaging channel by its name: where a contact is a person, and what an account belongs to. */
export type Platform = keyof typeof messaging;
export const platforms = Object.values(messaging).map(({ name }) => name);

export const channels = [...platforms, 'email'] as const;
export type Channel = (typeof channels)[number];

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
