import type { Schema } from '../../client/index.ts';
import { messaging } from '../api/lists.ts';

export type Channel = Schema<'Channel'>;
/** A channel on which accounts write to people. */
export type Platform = Schema<'Platform'>;

export const platforms = (Object.keys(messaging) as Platform[]).map((name) => [name, messaging[name].title] as const);
export const channels: readonly (readonly [Channel, string])[] = [...platforms, ['email', 'E-mail']];

/** What channels are called. */
export const channelNames = Object.fromEntries(channels) as Record<Channel, string>;

/** The channels of whose accounts the API can do that. */
export type PlatformThat<Can extends 'isChanged' | 'isDisconnected'> = {
  [Name in Platform]: (typeof messaging)[Name][Can] extends true ? Name : never;
}[Platform];
