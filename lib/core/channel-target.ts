import * as v from 'valibot';
import { type Descriptors, messaging, type Platform } from './channel.ts';
import type { Descriptor } from './channel-descriptor.ts';

type Form = Exclude<keyof Descriptor['identity'], 'field'>;
type UserIds<One extends Descriptor, Of extends Form> = {
  [Each in One as Each['identity']['field']]: v.OptionalSchema<Each['identity'][Of], undefined>;
};

/** The entries of an object that names a person by the id on one of the channels, as rows, senders or callers state it. */
export const userIds = <One extends Descriptor, Of extends Form>(channels: readonly One[], form: Of) =>
  Object.fromEntries(channels.map(({ identity }) => [identity.field, v.optional(identity[form])])) as UserIds<One, Of>;

/** Recipient of a message; the sender uses the first identifier that its account can. */
export const Target = v.object({
  ...userIds(Object.values(messaging), 'stored'),
  username: v.optional(v.string()),
});
export type Target = v.InferOutput<typeof Target>;

/** The id that somebody has on a channel. */
export const userIdOn = (channel: Platform, ids: Omit<Target, 'username'>): UserId | undefined =>
  ids[messaging[channel].identity.field];

type UserId = v.InferOutput<Descriptors['identity']['stored']>;

/** Somebody on a channel, by what is known of the two; by a username only where people have one. */
export const targetOf = (channel: Platform, userId: UserId | undefined, username?: string | null): Target =>
  v.parse(Target, {
    ...(userId !== undefined && { [messaging[channel].identity.field]: userId }),
    ...(username && messaging[channel].hasUsernames && { username }),
  });

/** `telegram/4711`, or `telegram/@anna` when only the username is known. */
export function senderName(channel: Platform, sender: Target): string | undefined {
  const { username } = sender;
  const userId = userIdOn(channel, sender);
  if (userId !== undefined) return `${channel}/${userId}`;
  return username === undefined ? undefined : `${channel}/@${username.toLowerCase()}`;
}
